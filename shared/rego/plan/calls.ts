import { METADATA_THEME } from '../builtins/metadata.ts';
import { unknownFunction } from '../builtins/refused.ts';
import type { Builtin } from '../builtins/registry.ts';
import { constant } from '../compile/constant.ts';
import type { FlatExpression } from '../compile/flat.ts';
import { isVariable } from '../compile/variables.ts';
import { BuiltinError, RegoError } from '../errors.ts';
import type { Eval, Exec, Frame, RuleNode, Sink } from '../run/context.ts';
import { Context, type Mock, overlaid, patched, type Run } from '../run/context.ts';
import { callFunction, ruleValue } from '../run/documents.ts';
import type { CallTerm, Location, Term, With } from '../syntax/ast.ts';
import { isArray, type Value } from '../values/value.ts';
import { LiteralPlanner } from './literals.ts';
import type { Bound, World } from './space.ts';

/** The effect of a call whose arguments are all defined. */
type Callee = (frame: Pick<Frame, 'context'>, args: readonly Value[]) => Value | undefined;

/** The effect of one `with` on the context. Undefined where its value is undefined. */
type Change = (context: Context, frame: Frame) => Context | undefined;

/** Plans calls and `with`. */
export class CallPlanner extends LiteralPlanner {
  protected override call(
    { call, out }: Extract<FlatExpression, { type: 'call' }>,
    bound: Bound,
    next: () => Exec,
  ): Exec {
    const args = call.args.map((arg) => this.evaluator(arg, bound));
    const callee = this.callee(call);
    const relation = call.name[0] !== 'data' && this.world.builtins.get(call.name.join('.'))?.relation === true;
    const sink = out === null ? truthy(next()) : this.match(out, bound, next);
    return (frame) => {
      frame.context.run.budget.spend();
      const values = evaluateArgs(args, frame);
      const result = values === undefined ? undefined : callee(frame, values);
      if (result === undefined) return false;
      if (!relation || !isArray(result)) return sink(frame, result);
      for (const value of result) if (sink(frame, value)) return true;
      return false;
    };
  }

  protected override withs(
    withs: readonly With[],
    bound: Bound,
    inside: (leave: () => Exec) => Exec,
    next: () => Exec,
  ): Exec {
    const changes = withs.map((one) => this.change(one, bound));
    const body = inside(() => {
      const rest = next();
      return (frame) => {
        const changed = frame.context;
        frame.context = changed.outer ?? changed;
        const stop = rest(frame);
        frame.context = changed;
        return stop;
      };
    });
    return (frame) => {
      const outer = frame.context;
      let changed: Context | undefined = outer;
      for (const change of changes) changed = changed === undefined ? undefined : change(changed, frame);
      if (changed === undefined) return false;
      const { input, overlay, mocks } = changed;
      frame.context = new Context(outer.run, input, { overlay, mocks, outer });
      const stop = body(frame);
      frame.context = outer;
      return stop;
    };
  }

  private callee(call: CallTerm): Callee {
    const name = call.name.join('.');
    const plain = this.function(call.name, call.args.length, call.at);
    return (frame, args) => {
      const mock = frame.context.mocks?.get(name);
      return mock === undefined ? plain(frame, args) : mock(frame.context, args);
    };
  }

  private function(path: readonly string[], count: number, at: Location): Callee {
    const name = path.join('.');
    if (path[0] === 'data') {
      const node = findNode(this.world.root, path.slice(1));
      if (node?.kind === 'complete' && count === 0) return ({ context }) => ruleValue(context, node);
      if (node?.kind !== 'function') throw new RegoError('compile', `undefined function ${name}`, at);
      checkArity(name, node.arity, count, at);
      return ({ context }, args) => callFunction(context, node, args);
    }
    const builtin = findBuiltin(this.world, name, at);
    checkArity(name, builtin.args.length, count, at);
    return ({ context }, args) => applyBuiltin(builtin, args, context.run, at);
  }

  private change({ target, value, at }: With, bound: Bound): Change {
    const head = target.type === 'ref' ? target.head : target;
    if (head.type !== 'var') throw new RegoError('compile', 'with keyword target must be a reference', at);
    const path = target.type === 'ref' ? target.path.map((step) => constant(step) ?? null) : [];
    if (head.name === 'input') {
      const replacement = this.evaluator(value, bound);
      return (context, frame) => {
        const put = replacement(frame);
        if (put === undefined) return undefined;
        return new Context(context.run, patched(context.input, path, put), context);
      };
    }
    const names = [head.name, ...path.map(String)];
    const node = head.name === 'data' ? findNode(this.world.root, path) : null;
    if (head.name !== 'data' || node?.kind === 'function') return this.mocked(names, value, at, bound);
    const replacement = this.evaluator(value, bound);
    return (context, frame) => {
      const put = replacement(frame);
      if (put === undefined) return undefined;
      const { input, mocks } = context;
      return new Context(context.run, input, { mocks, overlay: overlaid(context.overlay, path, put) });
    };
  }

  private mocked(target: readonly string[], value: Term, at: Location, bound: Bound): Change {
    const name = target.join('.');
    const arity = this.arity(target, at);
    const callee = this.replacement(value, arity, at);
    const fixed: Eval | null = callee === null ? this.evaluator(value, bound) : null;
    return (context, frame) => {
      const put = fixed?.(frame);
      if (fixed !== null && put === undefined) return undefined;
      // The replacement itself calls the original function. Otherwise it could call itself forever.
      const mock: Mock = (inside, args) => {
        const { input, overlay } = inside;
        const unmocked = new Context(inside.run, input, { overlay });
        return callee === null ? put : callee({ context: unmocked }, args);
      };
      const { input, overlay } = context;
      return new Context(context.run, input, { overlay, mocks: new Map(context.mocks).set(name, mock) });
    };
  }

  private arity(target: readonly string[], at: Location): number {
    if (target[0] === 'data') return findNode(this.world.root, target.slice(1))?.arity ?? 0;
    const builtin = findBuiltin(this.world, target.join('.'), at);
    if (builtin.theme === METADATA_THEME) {
      throw new RegoError('compile', `with keyword cannot replace the built-in function ${builtin.name}`, at);
    }
    return builtin.args.length;
  }

  /** Returns the function that a `with` puts in place of another, or null where the `with` puts a value. */
  private replacement(value: Term, arity: number, at: Location): Callee | null {
    const head = value.type === 'ref' ? value.head : value;
    if (head.type !== 'var' || head.name === 'input' || isVariable(head.name)) return null;
    const steps = value.type === 'ref' ? value.path.map(constant) : [];
    if (steps.some((step) => typeof step !== 'string')) return null;
    const path = [head.name, ...steps.map(String)];
    if (head.name === 'data' && findNode(this.world.root, path.slice(1))?.kind !== 'function') return null;
    return this.function(path, arity, at);
  }
}

/** Returns the node at a path below `data`. */
export function findNode(root: RuleNode, path: readonly Value[]): RuleNode | null {
  let node: RuleNode | null = root;
  for (const name of path) node = node?.child(name) ?? null;
  return node;
}

function findBuiltin(world: World, name: string, at: Location): Builtin {
  const builtin = world.builtins.get(name);
  if (builtin !== undefined) return builtin;
  throw unknownFunction(name, at);
}

function checkArity(name: string, wanted: number, count: number, at: Location): void {
  if (wanted !== count) {
    throw new RegoError('compile', `function ${name} has arity ${wanted}, got ${count} arguments`, at);
  }
}

function applyBuiltin(builtin: Builtin, args: readonly Value[], run: Run, at: Location): Value | undefined {
  try {
    const result = builtin.apply(args, run);
    // Functions check before they build long texts. This pays for all others.
    if (typeof result === 'string') run.budget.string(result.length);
    return result;
  } catch (error) {
    if (!(error instanceof BuiltinError)) throw error;
    if (run.strict) throw new RegoError('eval', `${builtin.name}: ${error.message}`, at);
    return undefined;
  }
}

function evaluateArgs(args: readonly Eval[], frame: Frame): Value[] | undefined {
  const values: Value[] = [];
  for (const arg of args) {
    const value = arg(frame);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function truthy(rest: Exec): Sink {
  return (frame, value) => value !== false && rest(frame);
}
