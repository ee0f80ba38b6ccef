import { type Labels, labelKey, type Sample, type Series } from './series.js';
import type { Expression, Matcher, Selector } from './syntax.js';

/** What an expression is evaluated on. */
export interface Storage {
  /** All series of that name that have points in (from, to], with those points; instants in seconds. */
  series(name: string, from: number, to: number): readonly Series[];
}

/** How far back Prometheus looks for the newest value of a series. */
const LOOK_BACK_SECONDS = 300;

type Value = number | readonly Sample[];

/**
 * The part of PromQL that the rules of k8s/monitoring use, evaluated as Prometheus does; where promtool is at hand, the
 * same scenarios run through it too, so that a difference would show.
 *
 * @param at the instant, in seconds
 */
export function evaluateVector(expression: Expression, storage: Storage, at: number): readonly Sample[] {
  const value = evaluate(expression, storage, at);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

function evaluate(expression: Expression, storage: Storage, at: number): Value {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'selector':
      return select(expression, storage, at - LOOK_BACK_SECONDS, at).map(({ labels, points }) => ({
        labels,
        value: points.at(-1)?.value ?? Number.NaN,
      }));
    case 'call':
      return call(expression.name, expression.args, storage, at);
    case 'aggregate':
      return aggregate(expression.name, expression.by, vector(expression.args[0], storage, at));
    case 'binary': {
      const left = evaluate(expression.left, storage, at);
      const right = evaluate(expression.right, storage, at);
      return combine(expression.operator, expression.bool, left, right);
    }
    case 'range':
    case 'text':
      throw new Error(`A ${expression.kind} stands where a value is wanted.`);
  }
}

function vector(expression: Expression | undefined, storage: Storage, at: number): readonly Sample[] {
  if (!expression) throw new Error('An argument is missing.');
  return evaluateVector(expression, storage, at);
}

function select({ name, matchers }: Selector, storage: Storage, from: number, to: number): readonly Series[] {
  return storage
    .series(name, from, to)
    .filter(({ labels, points }) => points.length > 0 && matchers.every((matcher) => matches(matcher, labels)));
}

function matches({ label, operator, value }: Matcher, labels: Labels): boolean {
  const actual = labels[label] ?? '';
  const fits = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
  return operator.startsWith('!') ? !fits : fits;
}

function call(name: string, args: readonly Expression[], storage: Storage, at: number): readonly Sample[] {
  const [first] = args;
  if (name === 'vector' && first?.kind === 'number') return [{ labels: {}, value: first.value }];
  if (name === 'absent')
    return vector(first, storage, at).length > 0 ? [] : [{ labels: labelsAskedFor(first), value: 1 }];
  const overTime = Object.hasOwn(OVER_TIME, name) ? OVER_TIME[name] : undefined;
  if (!overTime || first?.kind !== 'range') throw new Error(`${name}() is not known here.`);
  const { of, seconds } = first;
  return select(of, storage, at - seconds, at).flatMap(({ labels, points }) => {
    const value = overTime(points, { from: at - seconds, to: at });
    return value === undefined ? [] : [{ labels, value }];
  });
}

function labelsAskedFor(expression: Expression | undefined): Labels {
  if (expression?.kind !== 'selector') return {};
  const equal = expression.matchers.filter(({ operator }) => operator === '=');
  return Object.fromEntries(equal.map(({ label, value }) => [label, value]));
}

type Points = Series['points'];
interface Window {
  readonly from: number;
  readonly to: number;
}

const OVER_TIME: Readonly<Record<string, (points: Points, window: Window) => number | undefined>> = {
  increase,
  rate(points, window) {
    const growth = increase(points, window);
    return growth === undefined ? undefined : growth / (window.to - window.from);
  },
  changes: (points) => points.filter(({ value }, index) => index > 0 && value !== points[index - 1]?.value).length,
  avg_over_time: (points) => points.reduce((sum, { value }) => sum + value, 0) / points.length,
};

/** Over the whole window, although the samples do not reach its ends: Prometheus' own extrapolation. */
function increase(points: Points, { from, to }: Window): number | undefined {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return undefined;
  let growth = last.value - first.value;
  for (const [index, { value }] of points.entries()) {
    const before = points[index - 1]?.value ?? value;
    // A counter that falls was started again.
    if (value < before) growth += before;
  }
  const sampled = last.at - first.at;
  const mean = sampled / (points.length - 1);
  const limit = mean * 1.1;
  let toStart = first.at - from;
  let toEnd = to - last.at;
  if (toStart >= limit) toStart = mean / 2;
  // It cannot have been below zero before.
  if (growth > 0 && first.value >= 0) toStart = Math.min(toStart, sampled * (first.value / growth));
  if (toEnd >= limit) toEnd = mean / 2;
  return growth * ((sampled + toStart + toEnd) / sampled);
}

const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
};

function aggregate(name: string, by: readonly string[], samples: readonly Sample[]): readonly Sample[] {
  const join = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (!join) throw new Error(`${name}() is not known here.`);
  const groups = new Map<string, { labels: Labels; values: number[] }>();
  for (const { labels, value } of samples) {
    const kept = Object.fromEntries(by.filter((label) => labels[label]).map((label) => [label, labels[label] ?? '']));
    const group = groups.get(labelKey(kept)) ?? { labels: kept, values: [] };
    group.values.push(value);
    groups.set(labelKey(kept), group);
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: join(values) }));
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
};

function combine(operator: string, bool: boolean, left: Value, right: Value): Value {
  if (operator === 'and' || operator === 'or' || operator === 'unless') return combineSets(operator, left, right);
  const apply = (one: number, other: number): number | undefined => {
    const arithmetic = ARITHMETIC[operator];
    if (arithmetic) return arithmetic(one, other);
    const holds = COMPARISONS[operator]?.(one, other);
    if (holds === undefined) throw new Error(`The operator ${operator} is not known here.`);
    return bool ? Number(holds) : holds ? one : undefined;
  };
  if (typeof left === 'number' && typeof right === 'number') return apply(left, right) ?? Number.NaN;
  if (typeof right === 'number')
    return (left as readonly Sample[]).flatMap(({ labels, value }) => kept(labels, apply(value, right)));
  if (typeof left === 'number') return right.flatMap(({ labels, value }) => kept(labels, apply(left, value)));
  const partners = new Map(right.map((sample) => [labelKey(sample.labels), sample.value]));
  return left.flatMap(({ labels, value }) => {
    const partner = partners.get(labelKey(labels));
    return partner === undefined ? [] : kept(labels, apply(value, partner));
  });
}

function kept(labels: Labels, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}

function combineSets(operator: 'and' | 'or' | 'unless', left: Value, right: Value): readonly Sample[] {
  if (typeof left === 'number' || typeof right === 'number') throw new Error(`${operator} is between vectors.`);
  const keysOf = (samples: readonly Sample[]) => new Set(samples.map(({ labels }) => labelKey(labels)));
  const there = keysOf(right);
  switch (operator) {
    case 'and':
      return left.filter(({ labels }) => there.has(labelKey(labels)));
    case 'unless':
      return left.filter(({ labels }) => !there.has(labelKey(labels)));
    case 'or': {
      const here = keysOf(left);
      return [...left, ...right.filter(({ labels }) => !here.has(labelKey(labels)))];
    }
  }
}
