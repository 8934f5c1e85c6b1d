import { BuiltinError } from '../../errors.ts';
import { parseNumber } from '../../values/decimal.ts';
import type { Value } from '../../values/value.ts';
import { refusing } from '../operands.ts';

/** A value in an action. */
export type Operand =
  | { readonly type: 'literal'; readonly value: Value }
  /** `.a.b`, `$.a`, `$x.a` or `(…).a`: a start and the fields after it */
  | {
      readonly type: 'path';
      readonly start: '.' | { readonly variable: string } | Pipeline;
      readonly fields: readonly string[];
    }
  | { readonly type: 'function'; readonly name: string };

/** Calls from left to right. Each gets the result of the call before it as its last operand. */
export interface Pipeline {
  readonly commands: readonly (readonly Operand[])[];
}

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'action';
      readonly pipeline: Pipeline;
      readonly declares: string | null;
      readonly assigns: boolean;
    }
  | { readonly type: 'jump'; readonly kind: 'break' | 'continue' }
  | Block;

/** `if`, `range` or `with`. */
export interface Block {
  readonly type: 'if' | 'range' | 'with';
  readonly pipeline: Pipeline;
  /** Variables that hold the value, or key and value, inside the block. */
  readonly variables: readonly string[];
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}

/** Parts of an action. Spaces separate operands, so they count. */
const TOKEN =
  /\s+|"(?:[^"\\\n]|\\.)*"|`[^`]*`|:=|[=|(),]|\$\w*|\.\w+|\.|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\p{L}_][\p{L}\p{N}_]*/uy;

const KEYWORDS = new Set(['if', 'range', 'with', 'else', 'end', 'break', 'continue']);
const UNSUPPORTED = new Set(['define', 'template', 'block', 'call', 'js']);

type Piece = { readonly text: string } | { readonly tokens: readonly string[] };

/** Splits a template into text and actions. `{{-` and `-}}` remove the space beside them. */
function pieces(template: string): Piece[] {
  const made: Piece[] = [];
  let at = 0;
  let trims = false;
  while (at < template.length) {
    const open = template.indexOf('{{', at);
    let text = template.slice(at, open === -1 ? undefined : open);
    if (trims) text = text.trimStart();
    const action = open === -1 ? null : actionAt(template, open);
    if (action?.trimsBefore === true) text = text.trimEnd();
    if (text !== '') made.push({ text });
    if (action === null) break;
    if (action.tokens !== null) made.push({ tokens: action.tokens });
    trims = action.trimsAfter;
    at = action.end;
  }
  return made;
}

function actionAt(template: string, open: number) {
  const trimsBefore = /^-\s/.test(template.slice(open + 2, open + 4));
  let at = open + (trimsBefore ? 3 : 2);
  const tokens: string[] = [];
  const comment = /\s*\/\*.*?\*\/(\s+-)?\}\}/sy;
  comment.lastIndex = at;
  const found = comment.exec(template);
  if (found !== null) return { tokens: null, trimsBefore, trimsAfter: found[1] !== undefined, end: comment.lastIndex };
  for (;;) {
    const closing = /(\s-)?\}\}/y;
    closing.lastIndex = at;
    const close = closing.exec(template);
    if (close !== null) return { tokens, trimsBefore, trimsAfter: close[1] !== undefined, end: closing.lastIndex };
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(template)?.[0];
    if (token === undefined)
      throw new BuiltinError(at >= template.length ? 'unclosed action' : 'unexpected character in action');
    tokens.push(/^\s/.test(token) ? ' ' : token);
    at += token.length;
    // A space before the end may belong to a mark that removes space.
    if (/^\s/.test(token) && template.startsWith('-}}', at)) at -= 1;
  }
}

/** @throws BuiltinError for a template that is not valid, and for parts of the language that are not supported */
export function parseTemplate(template: string): readonly Node[] {
  return new TemplateParser(pieces(template)).all();
}

class TemplateParser {
  private readonly pieces: readonly Piece[];
  private at = 0;
  private loops = 0;

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }

  all(): readonly Node[] {
    const { nodes, end } = this.nodes();
    if (end !== null) throw new BuiltinError(`unexpected {{${end.keyword}}}`);
    return nodes;
  }

  /** Parses up to `else`, `end` or the end of the text. */
  private nodes(): { nodes: Node[]; end: { keyword: string; action: Action } | null } {
    const nodes: Node[] = [];
    for (;;) {
      const piece = this.pieces[this.at];
      if (piece === undefined) return { nodes, end: null };
      this.at += 1;
      if ('text' in piece) {
        nodes.push({ type: 'text', text: piece.text });
        continue;
      }
      const action = new Action(piece.tokens);
      const keyword = action.keyword();
      if (keyword === 'else' || keyword === 'end') return { nodes, end: { keyword, action } };
      nodes.push(this.node(keyword, action));
    }
  }

  private node(keyword: string | null, action: Action): Node {
    if (keyword === 'break' || keyword === 'continue') {
      if (this.loops === 0) throw new BuiltinError(`{{${keyword}}} outside {{range}}`);
      action.end();
      return { type: 'jump', kind: keyword };
    }
    if (keyword === 'if' || keyword === 'range' || keyword === 'with') return this.block(keyword, action);
    const declared = action.declaration();
    return { type: 'action', ...declared, pipeline: action.whole() };
  }

  private block(type: Block['type'], action: Action): Block {
    const variables = type === 'range' ? action.rangeVariables() : [action.declaration().declares ?? []].flat();
    const pipeline = action.whole();
    this.loops += type === 'range' ? 1 : 0;
    const { nodes: body, end } = this.nodes();
    this.loops -= type === 'range' ? 1 : 0;
    return { type, pipeline, variables, body, otherwise: this.otherwise(end, type) };
  }

  private otherwise(end: { keyword: string; action: Action } | null, type: Block['type']): readonly Node[] {
    if (end === null) throw new BuiltinError('unexpected end of the template');
    if (end.keyword === 'end') {
      end.action.end();
      return [];
    }
    const next = end.action.keyword();
    if (next !== null && next === type && type !== 'range') return [this.block(type, end.action)];
    end.action.end();
    const { nodes, end: last } = this.nodes();
    if (last?.keyword !== 'end') throw new BuiltinError('expected {{end}}');
    return nodes;
  }
}

/** The tokens of one action. */
class Action {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(tokens: readonly string[]) {
    this.tokens = tokens;
  }

  private skip(): void {
    while (this.tokens[this.at] === ' ') this.at += 1;
  }

  /** The tokens that are no space, from here. */
  private ahead(count: number): readonly string[] {
    return this.tokens
      .slice(this.at)
      .filter((token) => token !== ' ')
      .slice(0, count);
  }

  private accept(token: string): boolean {
    this.skip();
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  keyword(): string | null {
    const [first = ''] = this.ahead(1);
    if (UNSUPPORTED.has(first)) throw new BuiltinError(`${first} in templates is not supported`);
    if (!KEYWORDS.has(first)) return null;
    this.accept(first);
    return first;
  }

  end(): void {
    this.skip();
    if (this.at < this.tokens.length) throw new BuiltinError(`unexpected ${this.tokens[this.at]} in action`);
  }

  declaration(): { declares: string | null; assigns: boolean } {
    const [name = '', mark] = this.ahead(2);
    if (!/^\$\w/.test(name) || (mark !== ':=' && mark !== '=')) return { declares: null, assigns: false };
    this.accept(name);
    this.accept(mark);
    return { declares: name, assigns: mark === '=' };
  }

  rangeVariables(): readonly string[] {
    const [key = '', comma, value = '', mark] = this.ahead(4);
    if (comma !== ',' || mark !== ':=') return [this.declaration().declares ?? []].flat();
    for (const token of [key, comma, value, mark]) this.accept(token);
    return [key, value];
  }

  /** The pipeline that takes up the rest of the action. */
  whole(): Pipeline {
    const pipeline = this.pipeline();
    this.end();
    return pipeline;
  }

  private pipeline(): Pipeline {
    const commands = [this.command()];
    while (this.accept('|')) commands.push(this.command());
    return { commands };
  }

  private command(): readonly Operand[] {
    const operands: Operand[] = [];
    for (;;) {
      this.skip();
      const token = this.tokens[this.at];
      if (token === undefined || token === '|' || token === ')') break;
      operands.push(this.operand(token));
    }
    if (operands.length === 0) throw new BuiltinError('missing value for command');
    return operands;
  }

  private operand(token: string): Operand {
    this.at += 1;
    if (token === '(') {
      const start = this.pipeline();
      if (!this.accept(')')) throw new BuiltinError('unclosed left paren');
      return { type: 'path', start, fields: this.fields() };
    }
    if (token === '.') return { type: 'path', start: '.', fields: [] };
    if (token.startsWith('.')) return { type: 'path', start: '.', fields: [token.slice(1), ...this.fields()] };
    if (token.startsWith('$')) return { type: 'path', start: { variable: token }, fields: this.fields() };
    if (token.startsWith('"') || token.startsWith('`')) return { type: 'literal', value: textOf(token) };
    if (/^[+\-\d]/.test(token)) return { type: 'literal', value: parseNumber(token.replace(/^\+/, '')) ?? 0 };
    if (token === 'true' || token === 'false') return { type: 'literal', value: token === 'true' };
    if (token === 'nil') return { type: 'literal', value: null };
    if (!/^[\p{L}_]/u.test(token)) throw new BuiltinError(`unexpected ${token} in action`);
    if (UNSUPPORTED.has(token)) throw new BuiltinError(`${token} in templates is not supported`);
    return { type: 'function', name: token };
  }

  private fields(): readonly string[] {
    const names: string[] = [];
    for (;;) {
      const token = this.tokens[this.at] ?? '';
      if (!/^\.\w/.test(token)) return names;
      names.push(token.slice(1));
      this.at += 1;
    }
  }
}

function textOf(token: string): string {
  if (token.startsWith('`')) return token.slice(1, -1);
  const text = token.replaceAll(/\\x([0-9a-fA-F]{2})/g, '\\u00$1');
  return refusing(SyntaxError, 'invalid escape in a string', () => String(JSON.parse(text)));
}
