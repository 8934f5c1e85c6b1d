import type { Builtin } from '../builtins/registry.ts';
import { RegoError } from '../errors.ts';
import { findNode } from '../plan/calls.ts';
import { type FlatClause, type FlatRule, planRule } from '../plan/rules.ts';
import type { World } from '../plan/space.ts';
import { RuleNode } from '../run/context.ts';
import type { Clause, Module, Rule, Term } from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parser.ts';
import type { RegoObject, Value } from '../values/value.ts';
import { annotationsOf, RuleMetadata } from './annotations.ts';
import { assignKind, checkRecursion, checkTree } from './checks.ts';
import { constant } from './constant.ts';
import { type Flat, Flattener } from './flat.ts';
import { globalsOf } from './globals.ts';
import { Resolver } from './resolve.ts';
import { type Globals, Names, type Scope } from './scope.ts';
import { checkTypes } from './types.ts';

/** Modules that passed every check and are planned. */
export interface Program {
  readonly world: World;
  readonly base: RegoObject;
}

/** A rule with the node that it defines. */
interface Placed {
  readonly rule: Rule;
  readonly node: RuleNode;
  readonly kind: FlatRule['kind'];
  /** Keys of the head that are not part of the node's path, because they contain variables. */
  readonly path: readonly Term[];
  readonly globals: Globals;
  /** Null for a query. */
  readonly metadata: RuleMetadata | null;
}

/**
 * Checks and plans modules.
 * @param base the documents below `data` that are not rules
 * @param watched whether the rules record what happens to them
 * @throws RegoError `compile`
 */
export function compileProgram(
  modules: readonly Module[],
  base: RegoObject,
  builtins: ReadonlyMap<string, Builtin>,
  watched: boolean,
): Program {
  const root = new RuleNode([]);
  const world: World = { root, builtins, watched };
  const placed = placeRules(modules, root);
  checkTree(root, base);
  const flat = placed.map((one) => ({ one, rule: flatten(one, world) }));
  checkRecursion(
    flat.map(({ rule }) => rule),
    root,
  );
  for (const { one, rule } of flat) {
    checkTypes(rule, builtins);
    const planned = planRule(rule, world);
    if (one.rule.default) one.node.fallback = planned;
    else one.node.rules.push(planned);
  }
  return { world, base };
}

/**
 * Plans a query: one term without free variables.
 * @throws RegoError `parse` or `compile`
 */
export function compileQuery(source: string, world: World): RuleNode {
  const [literal, ...others] = parseQuery(source);
  if (literal === undefined || others.length > 0 || literal.expression.type !== 'term' || literal.negated) {
    throw new RegoError('compile', 'a query is a single term');
  }
  const at = literal.at;
  const clause: Clause = { value: literal.expression.term, body: [], otherwise: null, at };
  const node = new RuleNode(['query']);
  node.kind = 'complete';
  const rule: Rule = { default: false, name: ['query'], args: null, member: null, clause, at };
  const flat = flatten({ rule, node, kind: 'value', path: [], globals: new Map(), metadata: null }, world);
  // A query is no rule of the policy, so it is not watched.
  node.rules.push(planRule(flat, { ...world, watched: false }));
  return node;
}

function placeRules(modules: readonly Module[], root: RuleNode): Placed[] {
  const placed: Placed[] = [];
  const annotations = annotationsOf(modules);
  for (const module of modules) {
    const home = module.package.reduce((node, name) => node.ensure(name), root);
    const globals = globalsOf(module, modules);
    for (const rule of module.rules) {
      const metadata = new RuleMetadata(annotations, module, rule);
      placed.push({ ...locateRule(rule, home), rule, globals, metadata });
    }
  }
  return placed;
}

/** Finds or creates the node of a rule and sets the kind of its document. */
function locateRule(rule: Rule, home: RuleNode): Pick<Placed, 'node' | 'kind' | 'path'> {
  const [name, ...steps] = rule.name;
  let node = home.ensure(name);
  let at = 0;
  for (; at < steps.length; at += 1) {
    const step = steps[at];
    const key: Value | undefined = step === undefined ? undefined : constant(step);
    if (key === undefined) break;
    node = node.ensure(key);
  }
  const path = steps.slice(at);
  const takesArgs = rule.args !== null && rule.args.length > 0;
  if (path.length > 0 && (takesArgs || rule.default)) {
    throw new RegoError('compile', `rule ${node.path} must have a constant name here`, rule.at);
  }
  if (takesArgs) {
    assignKind(node, 'function', rule.at);
    if (node.arity !== 0 && node.arity !== rule.args?.length) {
      throw new RegoError('compile', `conflicting rules ${node.path} found: different numbers of arguments`, rule.at);
    }
    node.arity = rule.args?.length ?? 0;
    return { node, kind: 'value', path };
  }
  if (path.length === 0 && rule.member === null) {
    if (rule.default && node.kind === 'set')
      throw new RegoError('compile', `conflicting rules ${node.path} found`, rule.at);
    assignKind(node, 'complete', rule.at);
    return { node, kind: 'value', path };
  }
  assignKind(node, path.length === 0 ? 'set' : 'object', rule.at);
  return { node, kind: rule.member === null ? 'entry' : 'member', path };
}

function flatten({ rule, node, kind, path, globals, metadata }: Placed, world: World): FlatRule {
  const names = new Names();
  const resolver = new Resolver(globals, names);
  const arityOf = (name: readonly string[]) =>
    name[0] === 'data'
      ? (findNode(world.root, name.slice(1))?.arity ?? null)
      : (world.builtins.get(name.join('.'))?.args.length ?? null);
  const flattener = new Flattener(names, arityOf, metadata);
  const outer = resolver.scope(null);
  const before: Flat[] = [];
  const args = resolver.args(rule.args ?? [], outer).map((arg) => flattener.term(arg, before, outer.level + 1));
  const head = { path, member: rule.member, before };
  const clause = flatClause(rule.clause, head, { resolver, flattener, outer });
  return { node, names, args, kind, isDefault: rule.default, clause, at: rule.at };
}

function flatClause(
  clause: Clause,
  head: { readonly path: readonly Term[]; readonly member: Term | null; readonly before: readonly Flat[] },
  tools: { readonly resolver: Resolver; readonly flattener: Flattener; readonly outer: Scope },
): FlatClause {
  const { resolver, flattener } = tools;
  const scope = resolver.scope(tools.outer);
  const literals = resolver.body(clause.body, scope);
  const written: Term = head.member ?? clause.value ?? { type: 'scalar', value: true, at: clause.at };
  const resolved = [...head.path, written].map((term) => resolver.term(term, scope));
  // Calls in the arguments are part of every body.
  const body = [...head.before, ...flattener.body(literals, scope.level)];
  const terms = resolved.map((term) => flattener.term(term, body, scope.level));
  const value = terms.pop() ?? written;
  const otherwise =
    clause.otherwise === null
      ? null
      : flatClause(clause.otherwise, head, { ...tools, flattener: flattener.otherwise() });
  return { body, path: terms, value, otherwise, at: clause.at };
}
