// Asks Prometheus as Grafana's data source does, and makes data frames of the answers.
import { type DataFrame, FieldType, toDataFrame } from '@grafana/data';

export interface Target {
  refId: string;
  expr: string;
  legendFormat?: string;
  instant?: boolean;
  format?: string;
}

export interface Span {
  from: number;
  to: number;
  points?: number;
}

type Labels = Record<string, string>;
type Sample = [number, string];

const SECOND = 1000;

const POINTS = 600;

// Grafana spreads a panel's points over the range, about one per pixel or as many as it asks for, a minute apart or more.
const step = ({ from, to, points }: Span) =>
  Math.max(60, Math.ceil((to - from) / SECOND / (points ?? POINTS) / 60) * 60);

function filled(expr: string, span: Span): string {
  const interval = step(span);
  return expr
    .replaceAll('$__rate_interval', `${Math.max(interval + 60, 4 * 60)}s`)
    .replaceAll('$__interval', `${interval}s`)
    .replaceAll('$__range', `${Math.round((span.to - span.from) / SECOND)}s`)
    .replace(/\$\{?\w+\}?/g, '.*');
}

const legend = (format: string | undefined, labels: Labels) =>
  format ? format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => labels[name] ?? '') : JSON.stringify(labels);

async function ask(endpoint: string, parameters: Record<string, string>): Promise<any[]> {
  const answer = await fetch(`prom/api/v1/${endpoint}?${new URLSearchParams(parameters)}`);
  const content = await answer.json();
  if (content.status !== 'success') throw new Error(`${content.errorType}: ${content.error}`);
  return content.data.result;
}

export async function frames(targets: Target[], span: Span): Promise<DataFrame[]> {
  const answers = await Promise.all(targets.map((target) => one(target, span, targets.length > 1)));
  return answers.flat();
}

async function one(target: Target, span: Span, amongOthers: boolean): Promise<DataFrame[]> {
  const query = filled(target.expr, span);
  const { from, to } = span;
  if (!target.instant) {
    const range = { query, start: `${from / SECOND}`, end: `${to / SECOND}`, step: `${step(span)}` };
    const series = await ask('query_range', range);
    return series.map((each) => overTime(target, each.metric, each.values, span));
  }
  const series = await ask('query', { query, time: `${to / SECOND}` });
  if (target.format !== 'table') return series.map((each) => overTime(target, each.metric, [each.value], span));
  return series.length ? [rows(target, series, amongOthers ? `Value #${target.refId}` : 'Value')] : [];
}

function overTime(target: Target, labels: Labels, samples: Sample[], span: Span): DataFrame {
  const values = new Map(samples.map(([at, value]) => [at * SECOND, Number(value)]));
  const times: number[] = [];
  if (target.instant) times.push(...values.keys());
  else for (let at = span.from; at <= span.to; at += step(span) * SECOND) times.push(at);
  return toDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: times },
      {
        name: 'Value',
        type: FieldType.number,
        labels,
        values: times.map((at) => values.get(at) ?? null),
        config: { displayNameFromDS: legend(target.legendFormat, labels) },
      },
    ],
  });
}

function rows(target: Target, series: Array<{ metric: Labels; value: Sample }>, valueName: string): DataFrame {
  const names = [...new Set(series.flatMap((each) => Object.keys(each.metric)))];
  return toDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: series.map((each) => each.value[0] * SECOND) },
      ...names.map((name) => ({ name, type: FieldType.string, values: series.map((each) => each.metric[name] ?? '') })),
      { name: valueName, type: FieldType.number, values: series.map((each) => Number(each.value[1])) },
    ],
  });
}
