import { RegoError } from '../errors.ts';
import type { Module, Rule } from '../syntax/ast.ts';
import { lineComments } from '../syntax/lexer.ts';
import { canonicalJson } from '../values/text.ts';
import { RegoObject, type Value } from '../values/value.ts';
import { constant } from './constant.ts';
import { type Block, readBlocks } from './metadata.ts';

/** Annotations with the scope that they have. */
interface Annotation {
  /** The names below `data` of the package or rule. */
  readonly path: readonly string[];
  readonly value: RegoObject;
}

/** What an annotation can stand above. As in OPA, imports between them do not count. */
type Statement = { readonly line: number } & (
  | { readonly type: 'package' }
  | { readonly type: 'rule'; readonly rule: Rule }
);

/** Annotations by what they describe. */
interface Index {
  readonly rules: Map<Rule, Annotation[]>;
  readonly packages: Map<string, Annotation>;
  /** Annotations of documents, and of packages with those below them. */
  readonly paths: Map<string, Annotation>;
}

/**
 * The annotations of all modules. They are read on first use, because most programs do not ask for them.
 * @throws RegoError `parse` for a block that is not valid, `compile` for a second block of the same scope and path
 */
type Annotations = () => Index;

export function annotationsOf(modules: readonly Module[]): Annotations {
  let read: Index | null = null;
  return () => {
    if (read !== null) return read;
    read = { rules: new Map(), packages: new Map(), paths: new Map() };
    for (const module of modules) addModule(read, module);
    return read;
  };
}

/** The annotations that one rule can ask for. */
export class RuleMetadata {
  private readonly annotations: Annotations;
  private readonly module: Module;
  private readonly definition: Rule;
  private readonly branch: boolean;
  private chained: Value | null = null;

  /** @param branch whether this is a part after `else`, which has no annotations of its own */
  constructor(annotations: Annotations, module: Module, definition: Rule, branch = false) {
    this.annotations = annotations;
    this.module = module;
    this.definition = definition;
    this.branch = branch;
  }

  otherwise(): RuleMetadata {
    return new RuleMetadata(this.annotations, this.module, this.definition, true);
  }

  /** Returns the annotations above the rule. If there are several blocks, it returns the first, as OPA does. */
  rule(): Value {
    return this.own[0]?.value ?? new RegoObject();
  }

  /** Returns the annotations of the rule, its document, its package and the packages above, the closest first. */
  chain(): Value {
    this.chained ??= this.links();
    return this.chained;
  }

  private links(): Value {
    const { packages, paths } = this.annotations();
    const home = this.module.package;
    const path = rulePath(this.module, this.definition);
    const above = home.map((_name, at) => paths.get(keyOf(home.slice(0, home.length - at))));
    const own = this.own.length === 0 ? [{ path, value: undefined }] : this.own.toReversed();
    return [...own, paths.get(keyOf(path)), packages.get(keyOf(home)), ...above]
      .filter((one) => one !== undefined)
      .map((one) =>
        RegoObject.of([['path', one.path], ...(one.value === undefined ? [] : [['annotations', one.value] as const])]),
      );
  }

  /** The annotations of the rule alone. */
  private get own(): readonly Annotation[] {
    const all = this.annotations().rules.get(this.definition) ?? [];
    return this.branch ? [] : all;
  }
}

function addModule(index: Index, module: Module): void {
  const { comments, firstLine } = lineComments(module.path, module.text);
  const blocks = readBlocks(module.path, comments);
  const statements: Statement[] = [
    { type: 'package', line: firstLine },
    ...module.rules.map((rule) => ({ type: 'rule', line: rule.at.line, rule }) as const),
  ];
  statements.sort((a, b) => a.line - b.line);
  let next = 0;
  for (const block of blocks) {
    while ((statements[next]?.line ?? Number.POSITIVE_INFINITY) <= block.at.line) next += 1;
    add(index, module, block, statements[next]);
  }
}

/** Adds a block that stands above a statement. */
function add(index: Index, module: Module, block: Block, below: Statement | undefined): void {
  const scope = block.scope === '' ? impliedScope(block, below) : block.scope;
  checkScope(block, scope, below);
  const value = RegoObject.of([['scope', scope], ...block.fields]);
  const path = below?.type === 'rule' ? rulePath(module, below.rule) : module.package;
  const annotation = { path, value };
  if (scope === 'rule') {
    if (below?.type !== 'rule') return;
    const above = index.rules.get(below.rule);
    if (above === undefined) index.rules.set(below.rule, [annotation]);
    else above.push(annotation);
    return;
  }
  const known = scope === 'package' ? index.packages : index.paths;
  if (known.has(keyOf(path))) throw new RegoError('compile', `${scope} annotation redeclared`, block.at);
  known.set(keyOf(path), annotation);
}

function impliedScope(block: Block, below: Statement | undefined): string {
  if (below?.type === 'rule') return block.entrypoint ? 'document' : 'rule';
  return below?.type ?? '';
}

const TARGETS: ReadonlyMap<string, Statement['type']> = new Map([
  ['rule', 'rule'],
  ['document', 'rule'],
  ['package', 'package'],
  ['subpackages', 'package'],
]);

function checkScope({ at, entrypoint }: Block, scope: string, below: Statement | undefined): void {
  const target = TARGETS.get(scope);
  if (target === undefined) {
    const known = [...TARGETS.keys()].join(', ');
    throw new RegoError('parse', `invalid annotation scope '${scope.slice(0, 50)}', must be one of: ${known}`, at);
  }
  if (below?.type !== target) {
    const have = below === undefined ? '' : ` (have ${below.type})`;
    throw new RegoError('parse', `annotation scope '${scope}' must be applied to ${target}${have}`, at);
  }
  if (entrypoint && scope !== 'document' && scope !== 'package') {
    throw new RegoError('parse', `annotation entrypoint applied to non-document or package scope '${scope}'`, at);
  }
}

/** Returns the names of a rule up to its first variable. */
function rulePath(module: Module, { name: [first, ...steps] }: Rule): readonly string[] {
  const keys = steps.map(constant);
  const end = keys.indexOf(undefined);
  const fixed = keys.slice(0, end === -1 ? keys.length : end).filter((key) => key !== undefined);
  return [...module.package, first, ...fixed.map((key) => (typeof key === 'string' ? key : canonicalJson(key)))];
}

const keyOf = (path: readonly string[]) => JSON.stringify(path);
