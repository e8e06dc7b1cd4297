// Draws one panel with Grafana's components. What they need of a panel plugin is in here.
import { type DataFrame, type FieldDisplay, type GrafanaTheme2, dateTime, getFieldDisplayValues } from '@grafana/data';
import { BarGauge, BigValue, Table, TimeSeries } from '@grafana/ui';
import type { Span } from './prometheus';

interface Drawn {
  panel: any;
  data: DataFrame[];
  theme: GrafanaTheme2;
  span: Span;
  width: number;
  height: number;
}

export function Body(props: Drawn) {
  switch (props.panel.type) {
    case 'timeseries':
      return <Lines {...props} />;
    case 'stat':
      return <Numbers {...props} />;
    case 'bargauge':
      return <Bars {...props} />;
    case 'table':
      return <Table data={props.data[0]} width={props.width} height={props.height} />;
    default:
      throw new Error(`no way to draw a panel of type ${props.panel.type}`);
  }
}

function displayed({ panel, data, theme }: Drawn): FieldDisplay[] {
  return getFieldDisplayValues({
    data,
    theme,
    fieldConfig: panel.fieldConfig,
    reduceOptions: panel.options.reduceOptions,
    replaceVariables: (text: string) => text,
    sparkline: false,
    timeZone: 'utc',
  });
}

function Lines({ panel, data, span, width, height }: Drawn) {
  const range = { from: dateTime(span.from), to: dateTime(span.to) };
  return (
    <TimeSeries
      frames={data}
      structureRev={1}
      width={width}
      height={height}
      timeRange={{ ...range, raw: range }}
      timeZone="utc"
      legend={{ showLegend: true, calcs: [], ...panel.options.legend }}
      options={panel.options}
    />
  );
}

function Numbers(props: Drawn) {
  const shown = displayed(props);
  const width = props.width / shown.length - 4;
  return (
    <div style={{ display: 'flex', gap: 4 }}>
      {shown.map(({ display }, place) => (
        <BigValue
          key={place}
          theme={props.theme}
          value={shown.length > 1 ? display : { ...display, title: undefined }}
          width={width}
          height={props.height}
          colorMode={props.panel.options.colorMode}
          graphMode={props.panel.options.graphMode}
          count={shown.length}
        />
      ))}
    </div>
  );
}

function Bars(props: Drawn) {
  const shown = displayed(props);
  const height = props.height / shown.length - 4;
  return (
    <div style={{ display: 'grid', gap: 4 }}>
      {shown.map(({ display, field, view, colIndex }, place) => (
        <BarGauge
          key={place}
          theme={props.theme}
          value={display}
          field={field}
          display={view?.getFieldDisplayProcessor(colIndex ?? 0)}
          width={props.width}
          height={height}
          orientation={props.panel.options.orientation}
          displayMode={props.panel.options.displayMode}
          showUnfilled
        />
      ))}
    </div>
  );
}
