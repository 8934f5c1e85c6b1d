import type { PageName } from '#shared/console/pages.ts';
import type { Operation } from '../../../client/operations.ts';
import type { ParamsOf } from '../../../routes/params.ts';

/**
 * Forms of the console as data: a write declares its fields and the request that it sends, and one part draws all of them
 * (parts/form/form-dialog.tsx). Everything here is pure.
 */

interface About {
  label: string;
  /** What is expected, below the label. */
  note?: string;
  /** Whether the field may stay empty. */
  isOptional?: boolean;
}

interface TextField extends About {
  /** `line`: one line. `area`: several lines. `code`: a file, in letters of one width. */
  kind: 'line' | 'area' | 'code';
  initial: string;
  /** What the browser suggests in a line. Other texts can be typed. */
  suggest?: () => Promise<readonly string[]>;
}

export type Option<V extends string = string> = readonly [value: V, text: string];

interface ChoiceField<V extends string = string> extends About {
  kind: 'choice';
  initial: V;
  options: readonly Option<V>[];
}

/** Several values: ticked in a list of `options`, or typed one by one, with suggestions. */
export interface ManyField<V extends string = string> extends About {
  kind: 'ticks' | 'names';
  initial: readonly V[];
  options?: readonly Option<V>[];
  suggest?: () => Promise<readonly string[]>;
}

export type Field = TextField | ChoiceField | ManyField;
type Fields = Readonly<Record<string, Field>>;

/** What a person typed, by the name of the field. */
export type Values<F extends Fields = Fields> = { readonly [N in keyof F]: F[N]['initial'] };

/** A text that is sent as a file of a form. */
export interface FileText {
  name: string;
  text: string;
}

export interface WriteRequest<P = object, B = unknown> {
  params: P;
  body?: B;
  /** Name of the part that holds the body, if the request is a form with files. */
  part?: string;
  files?: Readonly<Record<string, FileText>>;
}

/** A page to go to. */
type Place = { [N in PageName]: { page: N; params: ParamsOf<N> } }[PageName];

/** The field that an error of the API belongs to, and the place of the wrong value in a field with several. */
export interface ErrorPlace {
  field: string;
  item?: number;
}

/** A question that stores nothing: what the write of the form would lead to. */
interface Trial<F extends Fields = Fields> {
  button: string;
  /** Fields that it does not need. */
  leavesOut?: readonly string[];
  /** @returns the answer in words, the first line as its sentence. @throws ApiProblem if the service refuses it */
  run: (values: Values<F>) => Promise<readonly string[]>;
}

interface Definition<F extends Fields, P, B> {
  /** Label of the button that opens the form: `New flow`. */
  button: string;
  /** Title of the form: `Create the flow`. */
  does: string;
  /** Label of the button that sends it; by default the title. */
  sends?: string;
  /** The same for a sentence about who may: `create flows`. */
  doing: string;
  operation: Operation<P, object, B, unknown>;
  fields: F;
  /** What follows from it. A form without fields asks by it. */
  about?: string;
  isDanger?: boolean;
  /** Whether it stands in the menu of its record, because people need it rarely: rename, archive, delete, tags. */
  isRare?: boolean;
  /** Why the caller may not, if the reason is not the role. */
  refusal?: string;
  request: (values: Values<F>) => WriteRequest<P, B>;
  /** Finds what the API would refuse, or would take for something else. By field. */
  check?: (values: Values<F>) => Readonly<Record<string, string>>;
  /** Whether the form has a field now. A field that it does not have is neither drawn nor missing. By default it has all. */
  isShown?: (field: string, values: Values<F>) => boolean;
  /** Asks the service what would follow, and stores nothing. */
  trial?: Trial<F>;
  /** Finds the field for an error whose name is not that of a field. */
  errorPlace?: (error: string, values: Values<F>) => ErrorPlace | undefined;
  /** The page to show afterwards; by default the present one. */
  opens?: (values: Values<F>) => Place;
  /** What is said if the page stays: `The role was changed.` */
  done?: string;
}

/** A write that a person can ask for. */
export type Write = Definition<Fields, object, unknown>;

/** Defines a write. The compiler compares the request with the definition of the endpoint. */
export const write = <F extends Fields, P extends object, Q extends object, B, O>(
  definition: Omit<Definition<F, P, B>, 'operation'> & { operation: Operation<P, Q, B, O> },
): Write =>
  // Callers of a write know its fields only by their names. The fields of this one are those that its request takes.
  definition as unknown as Write;

export const line = (label: string, given: Partial<Omit<TextField, 'kind' | 'label'>> = {}): TextField => ({
  kind: 'line',
  label,
  initial: '',
  ...given,
});
export const area = (label: string, given: Partial<Omit<TextField, 'kind' | 'label'>> = {}): TextField => ({
  ...line(label, given),
  kind: 'area',
});
export const code = (label: string, given: Partial<Omit<TextField, 'kind' | 'label'>> = {}): TextField => ({
  ...line(label, given),
  kind: 'code',
});
export const choice = <V extends string>(
  label: string,
  options: readonly [Option<V>, ...Option<V>[]],
  given: Partial<Omit<ChoiceField<V>, 'kind' | 'label' | 'options'>> = {},
): ChoiceField<V> => ({ kind: 'choice', label, options, initial: options[0][0], ...given });
export const ticks = <V extends string>(
  label: string,
  options: readonly Option<V>[],
  given: Partial<Omit<ManyField<V>, 'kind' | 'label' | 'options'>> = {},
): ManyField<V> => ({ kind: 'ticks', label, options, initial: [], ...given });
export const names = (label: string, given: Partial<Omit<ManyField, 'kind' | 'label'>> = {}): ManyField => ({
  kind: 'names',
  label,
  initial: [],
  ...given,
});

export const initialValues = (fields: Fields): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial]));

/** Whether a form holds something that would be lost. */
export const isChanged = (fields: Fields, values: Values): boolean =>
  JSON.stringify(values) !== JSON.stringify(initialValues(fields));

/** What is wrong before anything is sent, by field: what is missing, and what the form itself checks. */
export function findProblems({ fields, check, isShown }: Write, values: Values): ReadonlyMap<string, string> {
  const problems = new Map(Object.entries(check?.(values) ?? {}));
  for (const [name, { isOptional, kind }] of Object.entries(fields)) {
    if (isShown?.(name, values) === false) continue;
    const value = values[name];
    const isEmpty = typeof value === 'string' ? value.trim() === '' : value === undefined || value.length === 0;
    if (isEmpty && !isOptional) problems.set(name, kind === 'ticks' ? 'Choose at least one.' : 'Fill this in.');
  }
  return problems;
}

/** The API quotes the value that it refuses. In a form the value stands above the sentence. */
export const withoutInput = (sentence: string): string => sentence.replace(/ \[input: .*\]$/s, '');

/**
 * Finds the field for every error of a 400.
 * @returns sentences by field; what belongs to no field is under the empty name
 */
export function placeErrors(
  { fields, errorPlace }: Pick<Write, 'fields' | 'errorPlace'>,
  values: Values,
  errors: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const placed = new Map<string, string>();
  for (const [name, sentence] of errors) {
    const { field, item } = errorPlace?.(name, values) ?? placeOf(fields, name) ?? { field: '' };
    const value = item === undefined ? undefined : values[field]?.[item];
    // An error at a place inside of a document keeps the name of the place.
    const where = value ?? (name === field || name.startsWith(`${field}[`) ? undefined : name);
    const text = where === undefined ? withoutInput(sentence) : `${where}: ${withoutInput(sentence)}`;
    placed.set(field, placed.has(field) ? `${placed.get(field)}\n${text}` : text);
  }
  return placed;
}

function placeOf(fields: Fields, error: string): ErrorPlace | undefined {
  const [, name = '', index] = /^([^.[]+)(?:\[(\d+)\])?/.exec(error) ?? [];
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return undefined;
  const isList = field.kind === 'names' && index !== undefined;
  return { field: name, ...(isList && { item: Number(index) }) };
}

/** Pairs as a person types them, one per line: `team = payments`. Also `team: payments`. */
export const pairsText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((one) => one.trim() !== '');
const PAIR = /^\s*([^=:]+?)\s*[=:]\s*(.*?)\s*$/;

/** The lines that are no pairs, as a problem of the field; undefined if there are none. */
export function pairsProblem(text: string): string | undefined {
  const wrong = linesOf(text).find((one) => !PAIR.test(one));
  return wrong === undefined ? undefined : `Write «name = value». This line has neither = nor a colon: ${wrong.trim()}`;
}

export const readPairs = (text: string): Record<string, string> =>
  Object.fromEntries(linesOf(text).map((one) => [PAIR.exec(one)?.[1] ?? '', PAIR.exec(one)?.[2] ?? '']));

/** What changes one set of tags into another. */
export function tagChange(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): { set_tags: Record<string, string>; remove_tags: string[] } {
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return {
    set_tags: Object.fromEntries(changed),
    remove_tags: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
  };
}

/** Programs as a person types them: one per line, and an indented line continues the line above. */
export const programsText = (programs: readonly string[]): string =>
  programs.map((program) => program.replaceAll('\n', '\n  ')).join('\n');

export function readPrograms(text: string): string[] {
  const programs: string[] = [];
  for (const one of linesOf(text)) {
    const before = /^\s/.test(one) ? programs.pop() : undefined;
    programs.push(before === undefined ? one.trim() : `${before}\n${one.trim()}`);
  }
  return programs;
}
