import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { asInteger, numberText } from '../../values/decimal.ts';
import { leastLength } from '../../values/text.ts';
import { isArray, isNumber, listOf, RegoObject, type Value, weightOf } from '../../values/value.ts';
import { type Args, objectAt, stringAt } from '../operands.ts';
import { type Builtin, theme } from '../registry.ts';
import { FUNCTIONS, isTrue, printed } from './functions.ts';
import { type Block, type Node, type Operand, type Pipeline, parseTemplate } from './parse.ts';

/** Texts from templates in the language of Go's `text/template`, without templates that call each other. */
export const TEMPLATES: readonly Builtin[] = theme('strings', [
  ['strings.render_template', ['string', 'object'], 'string', render],
]);

/** Functions that print their operands. */
const PRINTING: ReadonlySet<string> = new Set(['print', 'println', 'html', 'js', 'urlquery']);

function render(args: Args, run: Run): Value {
  const template = stringAt(args, 0);
  run.budget.string(template.length);
  run.budget.spend(template.length);
  const data = templateData(objectAt(args, 1), run);
  return new Renderer(data, run).text(parseTemplate(template));
}

/** Numbers of the data are texts in a template, as in OPA. */
function templateData(value: Value, run: Run): Value {
  run.budget.spend();
  if (isNumber(value)) return numberText(value);
  const list = listOf(value);
  if (list !== null) return list.map((one) => templateData(one, run));
  if (!(value instanceof RegoObject)) return value;
  if (value.pairs().some(([key]) => typeof key !== 'string'))
    throw new BuiltinError('keys of variables must be strings');
  return RegoObject.of(value.pairs().map(([key, one]) => [key, templateData(one, run)] as const));
}

type Jump = 'break' | 'continue' | null;

class Renderer {
  private readonly root: Value;
  private readonly run: Run;
  private readonly parts: string[] = [];
  private length = 0;
  /** Variables with their values. The innermost stand at the end. */
  private readonly variables: [string, Value][] = [];

  constructor(root: Value, run: Run) {
    this.root = root;
    this.run = run;
    this.variables.push(['$', root]);
  }

  text(nodes: readonly Node[]): string {
    this.nodes(nodes, this.root);
    return this.parts.join('');
  }

  private nodes(nodes: readonly Node[], dot: Value): Jump {
    const depth = this.variables.length;
    for (const node of nodes) {
      this.run.budget.spend();
      const jump = this.node(node, dot);
      if (jump === null) continue;
      this.variables.length = depth;
      return jump;
    }
    this.variables.length = depth;
    return null;
  }

  private node(node: Node, dot: Value): Jump {
    switch (node.type) {
      case 'text':
        this.write(node.text);
        return null;
      case 'jump':
        return node.kind;
      case 'action': {
        const value = this.value(node.pipeline, dot);
        if (node.declares === null) this.print(value);
        else if (node.assigns) this.variable(node.declares)[1] = value;
        else this.variables.push([node.declares, value]);
        return null;
      }
      default:
        return this.block(node, dot);
    }
  }

  private write(text: string): void {
    this.length += text.length;
    this.run.budget.string(this.length);
    this.run.budget.spend(Math.ceil(text.length / 64));
    this.parts.push(text);
  }

  /** Functions print their operands at most once. */
  private checkLength(values: readonly Value[]): void {
    const { limits } = this.run.budget;
    this.run.budget.string(this.length + leastLength(values, limits.string));
  }

  private print(value: Value): void {
    this.run.budget.weight(weightOf(value));
    this.run.budget.spend(4 * weightOf(value));
    this.checkLength([value]);
    this.write(value === null ? '<undefined>' : printed(value));
  }

  private block({ type, pipeline, variables, body, otherwise }: Block, dot: Value): Jump {
    const value = this.value(pipeline, dot);
    if (type === 'range') return this.range(value, variables, body, otherwise, dot);
    const depth = this.variables.length;
    const [name] = variables;
    if (name !== undefined) this.variables.push([name, value]);
    const holds = isTrue(value);
    const jump = this.nodes(holds ? body : otherwise, holds && type === 'with' ? value : dot);
    this.variables.length = depth;
    return jump;
  }

  private range(
    value: Value,
    names: readonly string[],
    body: readonly Node[],
    otherwise: readonly Node[],
    dot: Value,
  ): Jump {
    const steps = stepsOf(value, this.run);
    if (steps.length === 0) return this.nodes(otherwise, dot);
    for (const [key, one] of steps) {
      this.run.budget.spend(10);
      const depth = this.variables.length;
      const [first, second] = names;
      if (first !== undefined) this.variables.push([first, second === undefined ? one : key]);
      if (second !== undefined) this.variables.push([second, one]);
      const jump = this.nodes(body, one);
      this.variables.length = depth;
      if (jump === 'break') break;
    }
    return null;
  }

  private variable(name: string): [string, Value] {
    const found = this.variables.findLast(([known]) => known === name);
    if (found === undefined) throw new BuiltinError(`undefined variable ${name}`);
    return found;
  }

  private value({ commands }: Pipeline, dot: Value): Value {
    let last: Value | undefined;
    for (const command of commands) last = this.command(command, dot, last);
    return last ?? null;
  }

  private command(operands: readonly Operand[], dot: Value, piped: Value | undefined): Value {
    const [first, ...rest] = operands;
    this.run.budget.spend(operands.length);
    if (first?.type !== 'function') {
      if (first === undefined || rest.length > 0 || piped !== undefined)
        throw new BuiltinError('only functions take arguments');
      if (first.type === 'literal' && first.value === null) throw new BuiltinError('nil is not a command');
      return this.operand(first, dot);
    }
    const { name } = first;
    if (name === 'and' || name === 'or') return this.junction(name, rest, dot, piped);
    const apply = FUNCTIONS[name];
    if (apply === undefined) throw new BuiltinError(`function "${name}" not defined`);
    const args = [...rest.map((one) => this.operand(one, dot)), ...(piped === undefined ? [] : [piped])];
    // Functions read their operands once.
    this.run.budget.spend(4 * args.reduce<number>((sum, arg) => sum + weightOf(arg), 0));
    if (PRINTING.has(name)) this.checkLength(args);
    return apply(args, this.run);
  }

  /** `and` and `or` evaluate operands until one decides. */
  private junction(name: 'and' | 'or', rest: readonly Operand[], dot: Value, piped: Value | undefined): Value {
    let last: Value | undefined;
    for (const one of rest) {
      last = this.operand(one, dot);
      if (isTrue(last) === (name === 'or')) return last;
    }
    const result = piped ?? last;
    if (result === undefined) throw new BuiltinError(`wrong number of args for ${name}: want at least 1 got 0`);
    return result;
  }

  private operand(operand: Operand, dot: Value): Value {
    if (operand.type === 'literal') return operand.value;
    if (operand.type === 'function') return this.command([operand], dot, undefined);
    const { start, fields } = operand;
    let value = start === '.' ? dot : 'variable' in start ? this.variable(start.variable)[1] : this.value(start, dot);
    for (const field of fields) {
      if (!(value instanceof RegoObject)) throw new BuiltinError(`can't evaluate field ${field}`);
      value = value.get(field) ?? null;
    }
    return value;
  }
}

/** What `range` walks: elements with their places, members with their keys, or numbers up to a limit. */
function stepsOf(value: Value, run: Run): readonly (readonly [Value, Value])[] {
  if (isArray(value)) return value.map((one, at) => [at, one] as const);
  if (value instanceof RegoObject) return value.pairs();
  const count = isNumber(value) ? asInteger(value) : null;
  if (count === null) throw new BuiltinError("range can't iterate over this value");
  run.budget.collection(Number(count));
  return Array.from({ length: Math.max(0, Number(count)) }, (_, at) => [at, at] as const);
}
