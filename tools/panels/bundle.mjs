// Bundles the page: node bundle.mjs INTO. Packages are found in node_modules beside this file.
import * as esbuild from 'esbuild';
import path from 'node:path';

const page = path.join(import.meta.dirname, 'page');

// @grafana/ui is made of ES modules, so a CommonJS package's default import becomes the whole module: unwrap it.
const WRAPPED =
  /^(react-custom-scrollbars-2|react-highlight-words|calculate-size|react-calendar|@rc-component\/(slider|cascader|tooltip|drawer))$/;

const patches = {
  name: 'patches',
  setup(build) {
    build.onResolve({ filter: /^monaco-editor/ }, () => ({ path: path.join(page, 'nothing.js') }));
    build.onResolve({ filter: WRAPPED }, ({ path, resolveDir, pluginData }) =>
      pluginData === 'inner' ? undefined : { path, namespace: 'unwrapped', pluginData: resolveDir },
    );
    build.onLoad({ filter: /.*/, namespace: 'unwrapped' }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      pluginData: 'inner',
      contents: [
        `import * as module from ${JSON.stringify(path)};`,
        `export * from ${JSON.stringify(path)};`,
        'const inner = module.default;',
        'export default inner && inner.__esModule ? inner.default : inner;',
      ].join('\n'),
    }));
  },
};

await esbuild.build({
  entryPoints: [path.join(page, 'main.tsx')],
  outdir: process.argv[2],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  logLevel: 'error',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
  loader: Object.fromEntries(['svg', 'png', 'gif', 'woff', 'woff2', 'ttf'].map((kind) => [`.${kind}`, 'dataurl'])),
  plugins: [patches],
});
