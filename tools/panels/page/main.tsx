// Lays a committed dashboard out as Grafana does, draws every panel, and reports what became of each.
import { type DataFrame, createTheme } from '@grafana/data';
import { GlobalStyles, PanelChrome, ThemeContext } from '@grafana/ui';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { prepared } from './fields';
import { Body } from './panel';
import { type Span, frames } from './prometheus';

const CELL = 38;
const GAP = 8;

type Fate = { state: 'drawn' | 'empty' | 'elsewhere' | 'error'; detail?: string };

const asked = new URLSearchParams(location.search);
const theme = createTheme({ colors: { mode: asked.get('theme') === 'light' ? 'light' : 'dark' } });
const to = Number(asked.get('to')) * 1000;
const span: Span = { from: to - Number(asked.get('hours') ?? 24) * 3_600_000, to };

const fates = new Map<string, Fate>();

function report(title: string, fate: Fate, panels: number) {
  fates.set(title, fate);
  if (fates.size === panels) {
    // Two frames later everything that was drawn is on the screen.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => fetch('report', { method: 'POST', body: JSON.stringify(Object.fromEntries(fates)) })),
    );
  }
}

function Message({ text, colour }: { text: string; colour?: string }) {
  const style = { display: 'grid', placeItems: 'center', height: '100%', color: colour ?? theme.colors.text.secondary };
  return <div style={style}>{text}</div>;
}

function Panel({ panel, panels, width, height }: { panel: any; panels: number; width: number; height: number }) {
  const [data, setData] = useState<DataFrame[]>();
  const [fate, setFate] = useState<Fate>();
  useEffect(() => {
    const draw = async (): Promise<Fate> => {
      if (panel.datasource.type !== 'prometheus') return { state: 'elsewhere' };
      const ready = await prepared(panel, await frames(panel.targets, { ...span, points: panel.maxDataPoints }), theme);
      setData(ready);
      return { state: ready.some((frame) => frame.length > 0) ? 'drawn' : 'empty' };
    };
    draw()
      .catch((error): Fate => ({ state: 'error', detail: String(error) }))
      .then((result) => {
        setFate(result);
        report(panel.title, result, panels);
      });
  }, []);
  if (!fate) return null;
  if (fate.state === 'error') return <Message text={fate.detail!} colour={theme.colors.error.text} />;
  if (fate.state === 'elsewhere') return <Message text={`a query to ${panel.datasource.type}, which is not asked here`} />;
  if (fate.state === 'empty' && panel.type !== 'stat') return <Message text={panel.fieldConfig.defaults.noValue} />;
  return <Body panel={panel} data={data!} theme={theme} span={span} width={width} height={height} />;
}

function Board() {
  const [board, setBoard] = useState<any>();
  useEffect(() => {
    fetch('dashboard.json').then(async (answer) => setBoard(await answer.json()));
  }, []);
  if (!board) return null;
  const column = (window.innerWidth - 2 * GAP) / 24;
  const rows = Math.max(...board.panels.map(({ gridPos }: any) => gridPos.y + gridPos.h));
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <div style={{ padding: GAP, color: theme.colors.text.primary, background: theme.colors.background.canvas }}>
        <h3 style={{ margin: '4px 0 8px' }}>{board.title}</h3>
        <div style={{ position: 'relative', height: rows * CELL }}>
          {board.panels.map((panel: any) => {
            const { x, y, w, h } = panel.gridPos;
            return (
              <div key={panel.id} style={{ position: 'absolute', left: x * column, top: y * CELL }}>
                <PanelChrome
                  title={panel.title}
                  description={panel.description}
                  width={w * column - GAP}
                  height={h * CELL - GAP}
                >
                  {(width, height) => <Panel panel={panel} panels={board.panels.length} width={width} height={height} />}
                </PanelChrome>
              </div>
            );
          })}
        </div>
      </div>
    </ThemeContext.Provider>
  );
}

createRoot(document.getElementById('root')!).render(<Board />);
