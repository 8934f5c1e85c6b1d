import { shortenText } from '#shared/base/well-formed.ts';
import { parseYaml, type YamlMap, YamlTextError, type YamlValue } from '#shared/base/yaml-text.ts';
import { STATEMENT_KINDS } from './predicates/kind-of.ts';
import { AttestationName, CustomTypeName, TemplateArtifactName } from './shared-fields.ts';

/** An attestation that a template requires. The type is one of {@link SLOT_TYPES} or `custom:<name>`. */
export interface TemplateSlot {
  name: string;
  type: string;
}

interface TemplateArtifact {
  name: string;
  attestations: TemplateSlot[];
}

/** A template (rules/flows.md#template-format). Lists are in the order of the text. */
export interface Template {
  version: 1;
  trail: { attestations: TemplateSlot[]; artifacts: TemplateArtifact[] };
}

/** Requires nothing. */
export const EMPTY_TEMPLATE: Template = Object.freeze<Template>({
  version: 1,
  trail: Object.freeze({ attestations: [], artifacts: [] }),
});

/** The types of a slot besides `custom:<name>` (rules/flows.md#slot-types). A report of any type fills `*`. */
export const SLOT_TYPES = [
  'generic',
  'junit',
  'snyk',
  'pull_request',
  'jira',
  'sonar',
  'decision',
  ...STATEMENT_KINDS,
  '*',
] as const;

const CUSTOM = 'custom:';

/** Most problems in one answer: enough to repair a file, and the answer stays small. */
const MOST_PROBLEMS = 50;

/** The template was refused. Each problem names its place in the file (rules/flows.md#template-errors). */
export class TemplateError extends Error {
  readonly problems: readonly string[];

  /** Clients look for this wording, with the plural for every number (rules/flows.md#template-errors). */
  constructor(problems: readonly string[], cause?: unknown) {
    super(`template file is invalid. ${problems.length} validation errors for Template\n${problems.join('\n')}`, {
      cause,
    });
    this.name = 'TemplateError';
    this.problems = problems;
  }
}

/**
 * Parses a template that a caller uploads (rules/flows.md#template-format). A text without content is the empty
 * template.
 *
 * @throws TemplateError with all problems, at most {@link MOST_PROBLEMS}
 */
export const parseTemplate = (text: string): Template => readTemplate(text, strictNames);

/**
 * The text of the empty template, as a user would write it. Readers of a flow that never got a template see it
 * (rules/flows.md#fields-of-a-flow).
 */
export const EMPTY_TEMPLATE_TEXT = 'version: 1';

/**
 * Parses a stored template. Names are not checked, because earlier rules allowed more names
 * (rules/flows.md#stored-templates).
 *
 * @throws TemplateError if the text breaks another rule, which is a fault of the service
 */
export const readStoredTemplate = (text: string): Template => readTemplate(text, anyNames);

/** The artifact of a legacy template. Old clients always put this name into their list. */
const LEGACY_ARTIFACT = 'artifact';

/**
 * Returns the template for a legacy list of control names: each name except `artifact` becomes a `*` slot of one
 * artifact named `artifact` (rules/flows.md#legacy-upsert). A list without other names gives the empty template.
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

/** Checks a name and returns the problem, or null. `taken` holds the earlier names of the same list. */
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
  if (version !== undefined && version !== 1) report('version', `Input should be 1 ${described(version)}`);
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
    : SLOT_TYPES.some((slotType) => slotType === type);
  if (!known) report(path, `Unknown type ${quoted(type)}, expected one of ${SLOT_TYPES.join(', ')}, custom:<name>`);
  return type;
}

function textOf(fields: YamlMap, field: string, path: string, report: Report): string | undefined {
  const value = fields.get(field);
  if (typeof value === 'string') return value;
  report(path, value === undefined ? 'Field required' : `Input should be a valid string ${described(value)}`);
  return undefined;
}

function fieldsOf(value: YamlValue, path: string, allowed: readonly string[], report: Report): YamlMap | null {
  if (!(value instanceof Map)) {
    report(path, `Input should be a mapping ${described(value)}`);
    return null;
  }
  for (const key of value.keys()) {
    if (!allowed.includes(key)) report(path, `Unknown key ${quoted(key)}`);
  }
  return value;
}

/** Returns the items of a list with their places; an absent list is empty. */
function itemsOf(value: YamlValue | undefined, path: string, report: Report): [YamlValue, string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.map((item, i) => [item, `${path}[${i}]`]);
  report(path, `Input should be a list ${described(value)}`);
  return [];
}

const quoted = (text: string): string => `'${shortenText(text, 80)}'`;

/** Describes a wrong value for a problem text: lists and mappings by their kind, other values by their text. */
function described(value: YamlValue): string {
  if (Array.isArray(value)) return '[input: a list]';
  if (value instanceof Map) return '[input: a mapping]';
  return `[input: ${value === null ? 'nothing' : quoted(String(value))}]`;
}
