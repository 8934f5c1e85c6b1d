import { type EnvironmentId, type FlowId, isId } from '#shared/base/ids.ts';
import { AnyFlowName, type FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type FlowHead, findFlow, readHead } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { requirePresent } from '../present-environment.ts';
import { readDeployments, readDeploymentsOf } from '../records/deployments.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readWithEnvironment } from '../records/environments.ts';
import { type Days, deploymentFrequency } from '../rules/deployment-frequency.ts';

/**
 * Counts the artifacts that started per day (rules/environments.md#deployment-frequency).
 *
 * @param name present name or alias
 * @param asked id or name of a flow; all flows without it
 * @returns the names of the environment and of the flow, and the counts
 * @throws ServiceError `not-found` if the environment or the flow does not exist
 */
export async function countDeployments(
  stores: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
  asked: string | undefined,
  days: Days,
): Promise<{ environment: string; flow: FlowName | null; frequency: ReturnType<typeof deploymentFrequency> }> {
  const [read, flow] = await Promise.all([
    readWithEnvironment(stores.table, org.id, name, (id) => startsOn(stores, org, id, days)),
    asked === undefined ? undefined : flowBy(stores, org, asked),
  ]);
  const head = requirePresent(read?.head ?? null, org, name);
  if (flow === null) throw unknownFlow({ flow: asked ?? '', org: org.name });
  const places = head.kind === 'logical' ? await startsInMembers(stores, org, head, days) : [read?.beside];
  const frequency = deploymentFrequency((date) => {
    const day = date.replaceAll('-', '');
    const counts = places.map((starts) => starts?.get(day));
    return counts.reduce((sum, count) => sum + ((flow ? count?.counts[flow.id] : count?.all) ?? 0), 0);
  }, days);
  return { environment: head.name, flow: flow?.name ?? null, frequency };
}

/** Finds a flow by id, else by name: a name may look like an id. */
async function flowBy({ table }: Pick<Stores, 'table'>, org: Organization, text: string): Promise<FlowHead | null> {
  const byId = isId<FlowId>(text) ? await readHead(table, org.id, text) : null;
  return byId ?? findFlow(table, org.id, AnyFlowName.parse(text));
}

const startsOn = (
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  environment: EnvironmentId,
  { start, last }: Days,
) => readDeployments(table, org.id, environment, { from: start, to: last });

/** Nothing starts in a logical environment itself, so the starts in its present members count. */
const startsInMembers = (
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { members }: EnvironmentHead,
  { start, last }: Days,
) => readDeploymentsOf(table, org.id, members, { from: start, to: last });
