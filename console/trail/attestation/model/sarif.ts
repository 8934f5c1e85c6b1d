import { fieldOf, isFields, numberOf, objectsOf, textOf } from './fields.ts';
import { byUrgency, type Scanned, SEVERITIES, severitySentence, toolText } from './findings.ts';

interface Rule {
  link: string | null;
  title: string | null;
}

/** A scan file in the format SARIF, as a person reads it. */
export interface SarifView {
  sentence: string;
  tool: string | null;
  found: Scanned[];
  /** What the file says about each rule, by the id of the rule. */
  rules: ReadonlyMap<string, Rule>;
}

/** The severity of each level of SARIF. `none` is the level of results that are no problem. */
const LEVELS: Readonly<Record<string, Scanned['severity'] | null>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: null,
};

/** Reads a SARIF file that was parsed; null for every other document. A result without a level is a warning. */
export function sarifView(document: unknown): SarifView | null {
  const runs = objectsOf(document, 'runs');
  if (runs === null || textOf(document, 'version') === null) return null;
  const rules = new Map(runs.flatMap(rulesOf));
  const found = runs.flatMap((run) => (objectsOf(run, 'results') ?? []).flatMap((result) => scannedOf(result, rules)));
  const [first] = runs;
  const counted = SEVERITIES.map((severity) => ({
    severity,
    number: found.filter((one) => one.severity === severity).length,
  }));
  return {
    sentence: severitySentence(counted, 1),
    tool: toolText(fieldOf(fieldOf(first, 'tool'), 'driver')),
    found: found.toSorted(byUrgency),
    rules,
  };
}

function rulesOf(run: unknown): [string, Rule][] {
  const tool = fieldOf(run, 'tool');
  const components = [fieldOf(tool, 'driver'), ...(objectsOf(tool, 'extensions') ?? [])];
  return components
    .flatMap((component) => objectsOf(component, 'rules') ?? [])
    .flatMap((rule) => {
      const id = textOf(rule, 'id');
      const title = messageOf(rule, 'shortDescription') ?? messageOf(rule, 'fullDescription');
      return id === null ? [] : [[id, { link: textOf(rule, 'helpUri'), title }]];
    });
}

function scannedOf(result: unknown, rules: ReadonlyMap<string, Rule>): Scanned[] {
  const level = textOf(result, 'level') ?? 'warning';
  const severity = Object.hasOwn(LEVELS, level) ? LEVELS[level] : 'medium';
  if (severity === null || severity === undefined) return [];
  const id = textOf(result, 'ruleId') ?? textOf(fieldOf(result, 'rule'), 'id');
  const rule = rules.get(id ?? '');
  return [
    {
      severity,
      id: id ?? 'without an id',
      message: messageOf(result, 'message') ?? rule?.title ?? null,
      places: (objectsOf(result, 'locations') ?? []).flatMap((place) => placeText(place) ?? []),
      score: numberOf(fieldOf(result, 'properties'), 'priorityScore'),
      link: rule?.link ?? null,
    },
  ];
}

const messageOf = (value: unknown, name: string): string | null => textOf(fieldOf(value, name), 'text');

function placeText(location: unknown): string | null {
  const physical = fieldOf(location, 'physicalLocation');
  const uri = textOf(fieldOf(physical, 'artifactLocation'), 'uri');
  if (uri === null) return textOf(objectsOf(location, 'logicalLocations')?.[0], 'fullyQualifiedName');
  const region = fieldOf(physical, 'region');
  const [first, last] = [numberOf(region, 'startLine'), numberOf(region, 'endLine')];
  if (!isFields(region) || first === null) return uri;
  return `${uri}, line ${first}${last === null || last === first ? '' : `-${last}`}`;
}
