import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A PromQL expression, read with Prometheus' own grammar. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | Selector
  | { readonly kind: 'range'; readonly of: Selector; readonly seconds: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly kind: 'aggregate';
      readonly name: string;
      readonly by: readonly string[];
      readonly args: readonly Expression[];
    }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly bool: boolean;
      readonly left: Expression;
      readonly right: Expression;
    };

export interface Selector {
  readonly kind: 'selector';
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** @throws an Error that shows the text which is no PromQL, or is a part of it that nothing here uses. */
export function parsePromql(text: string): Expression {
  const tree = parser.parse(text);
  tree.iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`Not PromQL, near "${text.slice(node.from, node.from + 20)}": ${text}`);
    },
  });
  const [root] = childrenOf(tree.topNode);
  if (!root) throw new Error('An empty expression.');
  return read(root, text);
}

function read(node: SyntaxNode, source: string): Expression {
  const children = childrenOf(node);
  const textOf = (each: SyntaxNode | undefined) => (each ? source.slice(each.from, each.to) : '');
  const inside = (name: string) => children.find((each) => each.name === name);
  switch (node.name) {
    case 'ParenExpr':
      return read(only(children, source), source);
    case 'NumberDurationLiteral':
      return { kind: 'number', value: Number(textOf(node)) };
    case 'UnaryExpr':
      return { kind: 'number', value: Number(textOf(node)) };
    case 'StringLiteral':
      return { kind: 'text', value: unquote(textOf(node)) };
    case 'VectorSelector':
      return {
        kind: 'selector',
        name: textOf(inside('Identifier')),
        matchers: childrenOf(inside('LabelMatchers')).map((matcher) => {
          const [label, operator, value] = childrenOf(matcher);
          return { label: textOf(label), operator: textOf(operator), value: unquote(textOf(value)) };
        }),
      };
    case 'MatrixSelector': {
      const of = read(only(children.slice(0, 1), source), source);
      if (of.kind !== 'selector') throw new Error(`A range of something else than a selector: ${textOf(node)}`);
      return { kind: 'range', of, seconds: seconds(textOf(children[1])) };
    }
    case 'FunctionCall':
      return {
        kind: 'call',
        name: textOf(inside('FunctionIdentifier')),
        args: argumentsOf(inside('FunctionCallBody')),
      };
    case 'AggregateExpr': {
      const modifier = inside('AggregateModifier');
      if (modifier && !textOf(modifier).startsWith('by')) throw new Error(`Only "by" is used here: ${textOf(node)}`);
      const labels = childrenOf(childrenOf(modifier).find((each) => each.name === 'GroupingLabels'));
      return {
        kind: 'aggregate',
        name: textOf(inside('AggregateOp')),
        by: labels.map(textOf),
        args: argumentsOf(inside('FunctionCallBody')),
      };
    }
    case 'BinaryExpr': {
      if (inside('MatchingModifierClause')) throw new Error(`No on() or ignoring() is used here: ${textOf(node)}`);
      const [left, operator] = children;
      const right = children.at(-1);
      if (!left || !right) throw new Error(`Half an expression: ${textOf(node)}`);
      const bool = inside('BoolModifier') !== undefined;
      return { kind: 'binary', operator: textOf(operator), bool, left: read(left, source), right: read(right, source) };
    }
    default:
      throw new Error(`${node.name} is not used here: ${textOf(node)}`);
  }

  function argumentsOf(body: SyntaxNode | undefined): Expression[] {
    return childrenOf(body).map((each) => read(each, source));
  }
}

/** Every selector in it, those of ranges included. */
export function selectorsIn(expression: Expression): Selector[] {
  switch (expression.kind) {
    case 'number':
    case 'text':
      return [];
    case 'selector':
      return [expression];
    case 'range':
      return [expression.of];
    case 'call':
    case 'aggregate':
      return expression.args.flatMap(selectorsIn);
    case 'binary':
      return [...selectorsIn(expression.left), ...selectorsIn(expression.right)];
  }
}

/** Every label that it groups by. */
export function groupingLabelsIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'aggregate':
      return [...expression.by, ...expression.args.flatMap(groupingLabelsIn)];
    case 'call':
      return expression.args.flatMap(groupingLabelsIn);
    case 'binary':
      return [...groupingLabelsIn(expression.left), ...groupingLabelsIn(expression.right)];
    default:
      return [];
  }
}

/** `5m`, `1h30m` in seconds. */
export function seconds(duration: string): number {
  let sum = 0;
  for (const [, count, unit] of duration.matchAll(/(\d+)([smhdw])/g))
    sum += Number(count) * (UNIT_SECONDS[unit ?? ''] ?? 0);
  if (sum === 0) throw new Error(`"${duration}" is no duration.`);
  return sum;
}

function childrenOf(node: SyntaxNode | undefined): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node?.firstChild ?? null; child; child = child.nextSibling) children.push(child);
  return children;
}

function only(nodes: readonly SyntaxNode[], source: string): SyntaxNode {
  const [node] = nodes;
  if (!node || nodes.length > 1) throw new Error(`Expected one expression: ${source}`);
  return node;
}

function unquote(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text.slice(1, -1);
}
