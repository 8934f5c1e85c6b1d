import type { EnvironmentId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName } from '#shared/base/names.ts';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlHead } from '#shared/controls/records/controls.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import { resolveFlows } from '#shared/evidence/flows/resolve-flows.ts';
import { readTypeHead } from '#shared/evidence/records/custom-types.ts';
import type { Table } from '#shared/table/table.ts';
import { readFlowScope } from './read-flow-scope.ts';
import { readScope } from './read-scope.ts';
import { type Expectation, MOST_SUBJECTS, SCOPE_OF, type Scope } from './rules/expectation.ts';
import { tooManyFlows, tooManySubjects } from './rules/sentences.ts';

/** Names of environments or of flows, or tags by name. */
export type GivenScope =
  | { environments: readonly EnvironmentName[] }
  | { flows: readonly FlowName[] }
  | { tags: Readonly<Record<string, string>> };

/** The part of a request that names other records. */
interface Given {
  kind: Expectation['kind'];
  scope: GivenScope;
  evidence?: Expectation['evidence'];
  control?: Expectation['control'];
}

/**
 * Returns the scope that a request gives, with ids, and checks that type and control are known.
 *
 * @throws ServiceError `invalid` with a text for each name that leads to no record, or to one that is archived or has no place in the
 *   scope; also if more than {@link MOST_SUBJECTS} have the tags
 */
export async function resolveScope(table: Table, org: Organization, given: Given): Promise<Scope> {
  const errors = noErrors();
  const refuse: Refuse = (field, text, input) => addError(errors, field, withInput(text, input));
  const [scope] = await Promise.all([scopeOf(table, org, given, refuse), checkEvidence(table, org, given, refuse)]);
  refuseIfAny(errors);
  return scope;
}

type Refuse = (field: string, text: string, input: unknown) => void;

async function scopeOf(table: Table, org: Organization, { kind, scope }: Given, refuse: Refuse): Promise<Scope> {
  if ('environments' in scope) return namedEnvironments(table, org, scope.environments, refuse);
  if ('flows' in scope) {
    const refuseFlow = (i: number, text: string, name: FlowName) => refuse(`scope.flows[${i}]`, text, name);
    return { flows: await resolveFlows(table, org.id, scope.flows, refuseFlow) };
  }
  const named = Object.entries(scope.tags).map(([name, value]) => ({ name, value }));
  const tags = { tags: named.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
  const isAboutFlows = SCOPE_OF[kind] === 'flows';
  const { length: count } = await (isAboutFlows ? readFlowScope : readScope)(table, org.id, tags);
  if (count > MOST_SUBJECTS) throw isAboutFlows ? tooManyFlows({ count }) : tooManySubjects({ count });
  return tags;
}

/** Each environment is once in the scope, whichever of its names the caller gave. */
async function namedEnvironments(
  table: Table,
  org: Organization,
  names: readonly EnvironmentName[],
  refuse: Refuse,
): Promise<Scope> {
  const found = await findEnvironments(table, org.id, names);
  const environments = new Map<EnvironmentId, { id: EnvironmentId; name: EnvironmentName }>();
  for (const [i, name] of names.entries()) {
    const head = found.get(name);
    const field = `scope.environments[${i}]`;
    if (!head) refuse(field, 'There is no such environment', name);
    else if (head.archived !== null) refuse(field, 'The environment is archived', name);
    else if (head.kind === 'logical') refuse(field, 'A logical environment takes no reports. Name its members', name);
    else environments.set(head.id, { id: head.id, name: head.name });
  }
  return { environments: [...environments.values()] };
}

const CUSTOM = 'custom:';

async function checkEvidence(table: Table, org: Organization, { evidence, control }: Given, refuse: Refuse) {
  if (control !== undefined) return checkControl(table, org, 'control', control, refuse);
  if (!evidence) return;
  const { by, value } = evidence;
  if (by === 'control') return checkControl(table, org, 'evidence.control', value, refuse);
  if (by !== 'type' || !value.startsWith(CUSTOM)) return;
  const head = await readTypeHead(table, org.id, value.slice(CUSTOM.length));
  if (!head) refuse('evidence.type', 'There is no such custom type', value);
  else if (head.archived !== null) refuse('evidence.type', 'The custom type is archived', value);
}

async function checkControl(table: Table, org: Organization, field: string, control: string, refuse: Refuse) {
  const head = await readControlHead(table, org.id, control);
  if (!head) refuse(field, 'There is no such control', control);
  else if (head.archived) refuse(field, 'The control is archived', control);
}
