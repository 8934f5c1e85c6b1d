import { type Location, RegoError } from '../errors.ts';
import type { FlatClause, FlatRule } from '../plan/rules.ts';
import type { NodeKind, RuleNode } from '../run/context.ts';
import { subterms, type Term } from '../syntax/ast.ts';
import { RegoObject, type Value } from '../values/value.ts';
import { constant } from './constant.ts';
import { type Flat, flatBody } from './flat.ts';
import { bodiesOf, termsOf } from './variables.ts';

/** Sets the kind of a node. All definitions of a node must have the same kind. */
export function assignKind(node: RuleNode, kind: Exclude<NodeKind, 'package'>, at: Location): void {
  if (node.kind !== 'package' && node.kind !== kind) {
    throw new RegoError('compile', `conflicting rules ${node.path} found`, at);
  }
  node.kind = kind;
}

/**
 * Checks that no name stands below a rule with one value, and that no data document has the path of a rule.
 * @throws RegoError `compile`
 */
export function checkTree(node: RuleNode, base: Value | undefined): void {
  if (node.kind !== 'package' && base !== undefined && node.kind !== 'function') {
    throw new RegoError('compile', `conflicting rule for data path ${node.path} found`);
  }
  if (node.children.size > 0 && node.kind !== 'package' && node.kind !== 'object') {
    const [child] = node.children.values();
    throw new RegoError('compile', `rule ${node.path} conflicts with ${child?.path ?? ''}`);
  }
  for (const child of node.children.values()) {
    const name = child.names.at(-1);
    checkTree(child, base instanceof RegoObject && name !== undefined ? base.get(name) : undefined);
  }
}

/**
 * Checks that no rule needs itself, directly or through others. A reference needs every rule that it may reach.
 * @throws RegoError `compile` naming the circle
 */
export function checkRecursion(rules: readonly FlatRule[], root: RuleNode): void {
  const needs = new Map<RuleNode, Set<RuleNode>>();
  const places = new Map<RuleNode, Location>();
  for (const { node, clause, at } of rules) {
    const found = needs.get(node) ?? new Set();
    needs.set(node, found);
    places.set(node, at);
    clauseNeeds(clause, root, found);
  }
  const done = new Set<RuleNode>();
  for (const node of needs.keys()) visitNeeds(node, needs, done, places);
}

/** Searches depth first with its own stack, because rules may form long chains. */
function visitNeeds(
  start: RuleNode,
  needs: ReadonlyMap<RuleNode, ReadonlySet<RuleNode>>,
  done: Set<RuleNode>,
  places: ReadonlyMap<RuleNode, Location>,
): void {
  if (done.has(start)) return;
  const path = [{ node: start, rest: [...(needs.get(start) ?? [])] }];
  const open = new Set([start]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      path.pop();
      open.delete(top.node);
      done.add(top.node);
    } else if (open.has(next)) {
      const circle = [...path.map(({ node }) => node.path), next.path];
      const from = circle.indexOf(next.path);
      const message = `rule ${next.path} is recursive: ${circle.slice(from).join(' -> ')}`;
      throw new RegoError('compile', message, places.get(next) ?? null);
    } else if (!done.has(next)) {
      open.add(next);
      path.push({ node: next, rest: [...(needs.get(next) ?? [])] });
    }
  }
}

function clauseNeeds(clause: FlatClause, root: RuleNode, found: Set<RuleNode>): void {
  for (const flat of clause.body) flatNeeds(flat, root, found);
  for (const term of [...clause.path, clause.value]) termNeeds(term, root, found);
  if (clause.otherwise !== null) clauseNeeds(clause.otherwise, root, found);
}

function flatNeeds({ expression, withs }: Flat, root: RuleNode, found: Set<RuleNode>): void {
  for (const { value } of withs) termNeeds(value, root, found);
  for (const term of termsOf(expression)) termNeeds(term, root, found);
  if (expression.type === 'call' && expression.call.name[0] === 'data')
    addReachable(expression.call.name.slice(1), root, found);
  for (const body of bodiesOf(expression)) for (const inner of body) flatNeeds(inner, root, found);
}

function termNeeds(term: Term, root: RuleNode, found: Set<RuleNode>): void {
  for (const part of subterms(term)) termNeeds(part, root, found);
  if (term.type === 'ref' && term.head.type === 'var' && term.head.name === 'data') {
    addReachable(term.path.map(constant), root, found);
  }
  if (term.type !== 'comprehension') return;
  for (const flat of flatBody(term)) flatNeeds(flat, root, found);
  if (term.key !== null) termNeeds(term.key, root, found);
  termNeeds(term.head, root, found);
}

/** Adds every node with rules on a path. Below the end of the path, and below a variable, it adds every node. */
function addReachable(path: readonly (Value | undefined)[], root: RuleNode, found: Set<RuleNode>): void {
  let here: RuleNode[] = [root];
  for (const key of path) {
    here = here.flatMap((node) => (key === undefined ? [...node.children.values()] : (node.child(key) ?? [])));
    for (const node of here) if (node.kind !== 'package') found.add(node);
  }
  for (const node of here) allBelow(node, found);
}

function allBelow(node: RuleNode, found: Set<RuleNode>): void {
  for (const child of node.children.values()) {
    if (child.kind !== 'package') found.add(child);
    allBelow(child, found);
  }
}
