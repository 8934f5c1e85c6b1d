import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName } from '#shared/base/names.ts';
import { readEnvironmentNames } from '#shared/environments/records/environments.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import type { Table } from '#shared/table/table.ts';
import type { Arrival, Gap, GapSubject } from '../rules/gaps/gap.ts';

interface Names {
  environments: ReadonlyMap<EnvironmentId, EnvironmentName>;
  flows: ReadonlyMap<FlowId, FlowName>;
}

/**
 * Returns gaps with the present names of environments and flows. What is archived keeps its last name. Heads are read 100
 * with one call.
 */
export async function withPresentNames(table: Table, org: OrganizationId, gaps: readonly Gap[]): Promise<Gap[]> {
  const places = gaps.map(placesOf);
  const [environments, flows] = await Promise.all([
    readEnvironmentNames(table, org, [...new Set(places.flatMap((one) => one.environments))]),
    readFlowNames(table, org, [...new Set(places.flatMap((one) => one.flows))]),
  ]);
  const names = { environments, flows };
  return gaps.map((gap) => ({
    ...gap,
    subject: subjectNow(gap.subject, names),
    lastBefore: arrivalNow(gap.lastBefore, names),
    firstAfter: arrivalNow(gap.firstAfter, names),
  }));
}

function placesOf({ subject, lastBefore, firstAfter }: Gap): { environments: EnvironmentId[]; flows: FlowId[] } {
  const shown = [lastBefore, firstAfter].flatMap((one) => (one?.shown?.type === 'moment' ? [one.shown.flow.id] : []));
  switch (subject.type) {
    case 'environment':
      return { environments: [subject.id], flows: shown };
    case 'flow':
      return { environments: [], flows: [subject.id, ...shown] };
    case 'scope':
      return { environments: [], flows: shown };
    case 'trail':
      return { environments: [], flows: [subject.flow.id, ...shown] };
    case 'artifact':
      return { environments: [subject.environment.id], flows: shown };
  }
}

function subjectNow(subject: GapSubject, { environments, flows }: Names): GapSubject {
  switch (subject.type) {
    case 'environment':
      return { ...subject, name: environments.get(subject.id) ?? subject.name };
    case 'flow':
      return { ...subject, name: flows.get(subject.id) ?? subject.name };
    case 'scope':
      return subject;
    case 'trail':
      return { ...subject, flow: { ...subject.flow, name: flows.get(subject.flow.id) ?? subject.flow.name } };
    case 'artifact': {
      const { environment } = subject;
      return {
        ...subject,
        environment: { ...environment, name: environments.get(environment.id) ?? environment.name },
      };
    }
  }
}

function arrivalNow(arrival: Arrival | null, { flows }: Names): Arrival | null {
  if (arrival?.shown?.type !== 'moment') return arrival;
  const { flow } = arrival.shown;
  return { ...arrival, shown: { ...arrival.shown, flow: { ...flow, name: flows.get(flow.id) ?? flow.name } } };
}
