import * as z from 'zod';
import { Fault } from '../fault.ts';
import { fitting, linesOf, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';
import type { TrailsOfExport } from './trail-lines.ts';

const OrganizationLine = z.looseObject({ id: z.string() });
const FlowLine = z.looseObject({ flow: z.string(), id: z.string(), name: z.string() });
const EnvironmentLine = z.looseObject({ environment: z.string(), archived: z.unknown().optional() });

/**
 * Verifies that lines are there which no entry covers as a whole (rules/verification.md#required-lines): the organization, each
 * flow that a proved moment names, and the times of each environment.
 */
export async function verifyRequired(state: ProofState, trails: TrailsOfExport): Promise<void> {
  await verifyOrganization(state);
  await verifyFlows(state, trails);
  await verifyTimes(state);
}

async function verifyOrganization(state: ProofState): Promise<void> {
  let count = 0;
  for await (const [place, { id }] of recordsOf(state, 'organization', OrganizationLine)) {
    count += 1;
    if (id !== state.chains.org || count > 1) throw new Fault(place, `the log is of organization ${state.chains.org}`);
  }
  if (count === 0) throw new Fault('data/records', `no line has the organization ${state.chains.org}`);
}

/** A flow that nobody changed after a report made it has the name that its moments prove. */
async function verifyFlows(state: ProofState, trails: TrailsOfExport): Promise<void> {
  const proved = new Map<string, string>();
  for (const { head, flow, flowName } of trails.all) if (head) proved.set(flow, flowName);
  const seen = new Set<string>();
  for await (const [place, { flow, id, name }] of recordsOf(state, 'flows', FlowLine, 'flow')) {
    if (id !== flow || seen.has(flow)) throw new Fault(place, `the line is not the only one of flow ${flow}`);
    seen.add(flow);
    const expected = proved.get(flow);
    if (expected !== undefined && expected !== name && !state.covers.isNamed('flows/flow', flow)) {
      throw new Fault(place, `the flow has the name ${name}, its moments have ${expected}`);
    }
  }
  const [missing] = [...proved].find(([flow]) => !seen.has(flow)) ?? [];
  if (missing !== undefined) throw new Fault('data/records', `no line has the flow ${missing}, which moments name`);
}

/** Each environment has its times, until it is archived. */
async function verifyTimes(state: ProofState): Promise<void> {
  const found = { environment: new Set<string>(), times: new Set<string>() };
  const current = new Set<string>();
  for await (const { place, item, record } of linesOf(state, 'environments')) {
    if (item !== 'environment' && item !== 'times') continue;
    const { environment, archived } = fitting(place, EnvironmentLine, record);
    if (found[item].has(environment)) throw new Fault(place, `an earlier line has the ${item} of ${environment}`);
    found[item].add(environment);
    if (item === 'environment' && archived === null) current.add(environment);
  }
  for (const environment of current) {
    if (!found.times.has(environment)) throw new Fault('data/records', `no line has the times of ${environment}`);
  }
}
