import { parseYaml, type YamlMap, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { AttestationName, CustomTypeName, TemplateArtifactName } from './shared-fields.ts';

/** An attestation that a template asks for; the type is one of {@link SLOT_TYPES} or `custom:<name>`. */
export interface TemplateSlot {
  name: string;
  type: string;
}

export interface TemplateArtifact {
  name: string;
  attestations: TemplateSlot[];
}

/** What a trail has to show (wire flows §10.1). Lists keep the order of the text. */
export interface Template {
  version: 1;
  trail: { attestations: TemplateSlot[]; artifacts: TemplateArtifact[] };
}

/** Asks for nothing. */
export const EMPTY_TEMPLATE: Template = Object.freeze<Template>({
  version: 1,
  trail: Object.freeze({ attestations: [], artifacts: [] }),
});

/** The types of a slot besides `custom:<name>`; `*` takes a report of any type (semantics §3.7). */
export const SLOT_TYPES = ['generic', 'junit', 'snyk', 'pull_request', 'jira', 'sonar', 'decision', '*'] as const;

const CUSTOM = 'custom:';

/** How many problems a refusal lists: enough to mend a file by, too few to make an answer of megabytes. */
const MOST_PROBLEMS = 50;

/** A template file that is refused. `problems` name their place in the file. */
export class TemplateError extends Error {
  readonly problems: readonly string[];

  /** The wording, plural included whatever the number, is the contract's (wire flows §4 T1). */
  constructor(problems: readonly string[], cause?: unknown) {
    super(`template file is invalid. ${problems.length} validation errors for Template\n${problems.join('\n')}`, {
      cause,
    });
    this.name = 'TemplateError';
    this.problems = problems;
  }
}

/**
 * Reads a template file that a caller supplies (rules: semantics §2 «Template», names §1.2, wire flows §10.1). A text
 * without content is the empty template.
 *
 * @throws TemplateError with every problem found, the first {@link MOST_PROBLEMS} of them
 */
export const parseTemplate = (text: string): Template => readTemplate(text, strictNames);

/**
 * Reads a template that is kept. Rules for names were milder once (an empty attestation name, wire flows §3 F1), so
 * names pass as they are.
 *
 * @throws TemplateError where even so it is no template, which is a fault of ours
 */
export const readStoredTemplate = (text: string): Template => readTemplate(text, anyNames);

/** The artifact of a legacy template: the name that its clients always put into their list (wire flows §3 F2). */
const LEGACY_ARTIFACT = 'artifact';

/**
 * The template that a legacy list of control names stands for: each name but `artifact` is a `*` slot of one artifact
 * named `artifact` (semantics §16.1 «Artifact template»). A list without other names asks for nothing.
 */
export function legacyTemplate(names: readonly string[]): Template {
  const controls = new Set(names.map((name) => name.trim()));
  controls.delete('');
  controls.delete(LEGACY_ARTIFACT);
  if (controls.size === 0) return EMPTY_TEMPLATE;
  const attestations = [...controls].map((name) => ({ name, type: '*' }));
  return { version: 1, trail: { attestations: [], artifacts: [{ name: LEGACY_ARTIFACT, attestations }] } };
}

type Report = (path: string, text: string) => void;

/** What is asked of the name at a path; `taken` has the names before it in its list. */
type NameRule = (kind: 'artifact' | 'attestation', name: string, taken: ReadonlySet<string>) => string | null;

const PATTERNS = { artifact: TemplateArtifactName, attestation: AttestationName };

const strictNames: NameRule = (kind, name, taken) => {
  if (name === '') return 'Name must not be empty';
  const checked = PATTERNS[kind].safeParse(name);
  if (!checked.success) return `Not ${kind === 'artifact' ? 'an artifact' : 'an attestation'} name ${quoted(name)}`;
  return taken.has(name) ? `Name ${quoted(name)} is used more than once` : null;
};

const anyNames: NameRule = () => null;

function readTemplate(text: string, nameRule: NameRule): Template {
  const problems: string[] = [];
  const report: Report = (path, problem) => {
    problems.push(`${path || 'template'}: ${problem}`);
    if (problems.length >= MOST_PROBLEMS) throw new TemplateError(problems);
  };
  const template = templateOf(yamlOf(text), nameRule, report);
  if (problems.length > 0) throw new TemplateError(problems);
  return template;
}

function yamlOf(text: string): YamlValue {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlTextError) throw new TemplateError([error.message], error);
    throw error;
  }
}

function templateOf(root: YamlValue, nameRule: NameRule, report: Report): Template {
  if (root === null) return EMPTY_TEMPLATE;
  const fields = fieldsOf(root, '', ['version', 'trail'], report);
  const version = fields?.get('version');
  if (version !== undefined && version !== 1) report('version', `Input should be 1 ${shown(version)}`);
  const trail = fields?.get('trail') ?? null;
  if (trail === null) return EMPTY_TEMPLATE;
  const parts = fieldsOf(trail, 'trail', ['attestations', 'artifacts'], report);
  return {
    version: 1,
    trail: {
      attestations: slotsOf(parts?.get('attestations'), 'trail.attestations', nameRule, report),
      artifacts: artifactsOf(parts?.get('artifacts'), nameRule, report),
    },
  };
}

function artifactsOf(value: YamlValue | undefined, nameRule: NameRule, report: Report): TemplateArtifact[] {
  const taken = new Set<string>();
  return itemsOf(value, 'trail.artifacts', report).map(([item, path]) => {
    const fields = fieldsOf(item, path, ['name', 'attestations'], report);
    const name = fields ? nameOf('artifact', fields, path, taken, nameRule, report) : '';
    return { name, attestations: slotsOf(fields?.get('attestations'), `${path}.attestations`, nameRule, report) };
  });
}

function slotsOf(value: YamlValue | undefined, path: string, nameRule: NameRule, report: Report): TemplateSlot[] {
  const taken = new Set<string>();
  return itemsOf(value, path, report).map(([item, at]) => {
    const fields = fieldsOf(item, at, ['name', 'type'], report);
    if (!fields) return { name: '', type: '' };
    return {
      name: nameOf('attestation', fields, at, taken, nameRule, report),
      type: typeOf(fields, `${at}.type`, report),
    };
  });
}

function nameOf(
  kind: 'artifact' | 'attestation',
  fields: YamlMap,
  path: string,
  taken: Set<string>,
  nameRule: NameRule,
  report: Report,
): string {
  const name = textOf(fields, 'name', `${path}.name`, report);
  if (name === undefined) return '';
  const problem = nameRule(kind, name, taken);
  if (problem) report(`${path}.name`, problem);
  taken.add(name);
  return name;
}

function typeOf(fields: YamlMap, path: string, report: Report): string {
  const type = textOf(fields, 'type', path, report);
  if (type === undefined) return '';
  const known = type.startsWith(CUSTOM)
    ? CustomTypeName.safeParse(type.slice(CUSTOM.length)).success
    : (SLOT_TYPES as readonly string[]).includes(type);
  if (!known) report(path, `Unknown type ${quoted(type)}, expected one of ${SLOT_TYPES.join(', ')}, custom:<name>`);
  return type;
}

function textOf(fields: YamlMap, field: string, path: string, report: Report): string | undefined {
  const value = fields.get(field);
  if (typeof value === 'string') return value;
  report(path, value === undefined ? 'Field required' : `Input should be a valid string ${shown(value)}`);
  return undefined;
}

function fieldsOf(value: YamlValue, path: string, allowed: readonly string[], report: Report): YamlMap | null {
  if (!(value instanceof Map)) {
    report(path, `Input should be a mapping ${shown(value)}`);
    return null;
  }
  for (const key of value.keys()) {
    if (!allowed.includes(key)) report(path, `Unknown key ${quoted(key)}`);
  }
  return value;
}

/** The items of a list, each with its place; an absent list is empty. */
function itemsOf(value: YamlValue | undefined, path: string, report: Report): [YamlValue, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.map((item, i) => [item, `${path}[${i}]`]);
  report(path, `Input should be a list ${shown(value)}`);
  return [];
}

const quoted = (text: string): string => `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`;

/** What was found instead, by value where it is short by nature, else by kind. */
function shown(value: YamlValue): string {
  if (Array.isArray(value)) return '[input: a list]';
  if (value instanceof Map) return '[input: a mapping]';
  return `[input: ${value === null ? 'nothing' : quoted(String(value))}]`;
}
