// What Grafana itself registers at start-up and does not publish: transformations, and the options that fields may have.
import {
  type DataFrame,
  type DataTransformerConfig,
  FieldConfigOptionsRegistry,
  type GrafanaTheme2,
  applyFieldOverrides,
  identityOverrideProcessor,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import { firstValueFrom } from 'rxjs';

const OF_FIELDS = ['unit', 'min', 'max', 'decimals', 'noValue', 'color', 'thresholds', 'mappings', 'links', 'displayName'];
const OF_PANELS = [
  'drawStyle', 'lineInterpolation', 'lineWidth', 'fillOpacity', 'gradientMode', 'showPoints', 'pointSize', 'spanNulls',
  'stacking', 'thresholdsStyle', 'axisPlacement', 'axisLabel', 'hideFrom', 'align', 'cellOptions', 'width', 'filterable',
  'lineStyle', 'barAlignment', 'scaleDistribution',
];

const LINES = {
  drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, fillOpacity: 0, gradientMode: 'none', showPoints: 'auto',
  pointSize: 5, spanNulls: false, stacking: { mode: 'none', group: 'A' }, thresholdsStyle: { mode: 'off' },
  axisPlacement: 'auto',
};

const option = (id: string, isCustom: boolean): any => ({
  id: isCustom ? `custom.${id}` : id,
  path: id,
  name: id,
  isCustom,
  process: identityOverrideProcessor,
  shouldApply: () => true,
  settings: {},
  editor: () => null,
  override: () => null,
});

const registry = new FieldConfigOptionsRegistry(() => [
  ...OF_FIELDS.map((id) => option(id, false)),
  ...OF_PANELS.map((id) => option(id, true)),
]);

standardTransformersRegistry.setInit(() => {
  const byId = new Map(Object.values(standardTransformers).map((each: any) => [each.id, each]));
  return [...byId.values()].map((each: any) => ({
    id: each.id,
    name: each.name,
    description: '',
    editor: () => null,
    transformation: async () => each,
    imageDark: '',
    imageLight: '',
  })) as any;
});

export async function prepared(panel: any, raw: DataFrame[], theme: GrafanaTheme2): Promise<DataFrame[]> {
  const steps: DataTransformerConfig[] = panel.transformations ?? [];
  const data = steps.length ? await firstValueFrom(transformDataFrame(steps, raw)) : raw;
  const fieldConfig = structuredClone(panel.fieldConfig);
  if (panel.type === 'timeseries') fieldConfig.defaults.custom = { ...LINES, ...fieldConfig.defaults.custom };
  fieldConfig.defaults.color ??= { mode: panel.type === 'timeseries' ? 'palette-classic' : 'thresholds' };
  return applyFieldOverrides({
    data,
    fieldConfig,
    theme,
    timeZone: 'utc',
    replaceVariables: (text: string) => text,
    fieldConfigRegistry: registry,
  } as any);
}
