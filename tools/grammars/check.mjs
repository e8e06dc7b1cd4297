// Reads [[language, query], ...] from standard input and writes, for each, the places that its grammar doesn't accept.
import { readFileSync } from 'node:fs';
import { parser as logql } from '@grafana/lezer-logql';
import { parser as traceql } from '@grafana/lezer-traceql';
import { parser as promql } from '@prometheus-io/lezer-promql';

const PARSERS = { logql, promql, traceql };

function refused([language, query]) {
  const places = [];
  PARSERS[language].parse(query).iterate({
    enter(node) {
      if (node.type.isError) places.push(`${query.slice(0, node.from)} <here> ${query.slice(node.from)}`);
    },
  });
  return places;
}

const queries = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(queries.map(refused)));
