import { isDeepStrictEqual } from 'node:util';
import type { Write } from './ledger.ts';
import type { Stack } from './stack-api.ts';

interface Moment {
  moment_number: number;
  created_at: number;
}

interface Event {
  type: string;
  timestamp: number;
  template_reference_name?: string;
  attestation_id?: string;
  artifact_fingerprint?: string;
  artifact_id?: string;
}

interface StatusEntry {
  attestation_name: string;
  attestation_id: string | null;
}

interface Trail {
  compliance_state: string;
  last_modified_at: number;
  user_data: unknown;
  compliance_status: {
    attestations_statuses: StatusEntry[];
    artifacts_statuses: Record<string, { artifact_id: string | null; attestations_statuses: StatusEntry[] }>;
  };
  events: Event[];
}

interface Attestation {
  attestation_id: string;
  user_data: unknown;
}

const MOST_PER_PAGE = 100;

/** The number of records that a trail contains. */
export interface Found {
  trails: number;
  artifacts: number;
  attestations: number;
  /** Sentences about contradictions with the ledger or within the trail. Empty for a correct trail. */
  problems: string[];
}

/**
 * Reads one trail through every endpoint of the API and compares it with the writes that were sent to it. An answered
 * write must be stored once. A write without an answer is stored once or not at all. No write is stored in part.
 */
export async function inspectTrail(
  stack: Stack,
  flow: string,
  trail: string,
  writes: readonly Write[],
): Promise<Found> {
  const problems: string[] = [];
  const expect = (holds: boolean, sentence: string) => {
    if (!holds) problems.push(`${flow}/${trail}: ${sentence}`);
  };
  const { status, text } = await stack.call('GET', `/trails/${flow}/${trail}`);
  if (status === 404) {
    expect(!writes.some(({ answered }) => answered), 'is gone, though writes to it were answered');
    const moments = await stack.call('GET', `/trails/${flow}/${trail}/moments`);
    expect(moments.status === 404, 'is not there, yet has moments');
    return { trails: 0, artifacts: 0, attestations: 0, problems };
  }
  expect(status === 200, `cannot be read: ${status} ${text}`);
  const read = JSON.parse(text) as Trail;
  const { events } = read;

  const moments = await allMoments(stack, flow, trail);
  const times = moments.map(({ created_at }) => created_at);
  expect(
    moments.every(({ moment_number: number }, at) => number === at + 1),
    'has a gap between its moments',
  );
  expect(
    times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)),
    'has moments out of order',
  );
  expect(
    isDeepStrictEqual(
      times,
      events.map(({ timestamp }) => timestamp),
    ),
    'has other events than moments',
  );
  expect(read.last_modified_at === times.at(-1), 'was not modified last at its last moment');
  expect(events[0]?.type === 'trail_reported', 'does not begin with its report');
  expect(read.compliance_state === 'COMPLIANT', `is ${read.compliance_state}`);

  const attestations = events.filter(({ attestation_id }) => attestation_id !== undefined);
  const artifacts = events.filter(({ type }) => type === 'artifact_creation_reported');
  expect(events.length === 1 + attestations.length + artifacts.length, 'has events of another kind');
  expect(statusIds(read).length === attestations.length + artifacts.length, 'has other statuses than events');
  expect(
    events.slice(1).every((event) => writes.some((write) => isEventOf(write, event))),
    'has events of nobody',
  );

  for (const write of writes) {
    const own = write.kind === 'trail' ? events.slice(0, 1) : events.filter((event) => isEventOf(write, event));
    expect(own.length === 1 || (own.length === 0 && !write.answered), `has ${write.name} ${own.length} times`);
    for (const problem of await inspectWrite(stack, flow, write, own[0], read)) expect(false, problem);
  }
  return { trails: 1, artifacts: artifacts.length, attestations: attestations.length, problems };
}

const isEventOf = ({ kind, name, fingerprint }: Write, event: Event): boolean =>
  kind === 'artifact'
    ? event.type === 'artifact_creation_reported' && event.artifact_fingerprint === fingerprint
    : event.attestation_id !== undefined && event.template_reference_name === name;

const statusIds = ({ compliance_status: status }: Trail): (string | null)[] => [
  ...status.attestations_statuses.map(({ attestation_id }) => attestation_id),
  ...Object.values(status.artifacts_statuses).flatMap((artifact) => [
    artifact.artifact_id,
    ...artifact.attestations_statuses.map(({ attestation_id }) => attestation_id),
  ]),
];

/** @returns sentences about a record that does not match its write, or that exists without an event */
async function inspectWrite(
  stack: Stack,
  flow: string,
  { kind, trail, name, fingerprint, userData }: Write,
  event: Event | undefined,
  read: Trail,
): Promise<string[]> {
  if (kind === 'trail') return isDeepStrictEqual(read.user_data, userData) ? [] : ['has other user data than sent'];
  const id = kind === 'artifact' ? event?.artifact_id : event?.attestation_id;
  const problems = id === undefined || statusIds(read).includes(id) ? [] : [`has ${name} among its events alone`];
  if (kind === 'artifact') {
    const { status } = await stack.call('GET', `/artifacts/${flow}/fingerprint/${fingerprint}`);
    return status === (event ? 200 : 404) ? problems : [...problems, `has ${name} but reading it gives ${status}`];
  }
  const scope = fingerprint === undefined ? `trail/${trail}` : `artifact/${fingerprint}`;
  const { status, text } = await stack.call('GET', `/attestations/${flow}/${scope}/${name}`);
  // If the artifact is missing, its attestations answer 404 too. The check of the artifact reports that.
  const records = status === 404 ? [] : (JSON.parse(text) as Attestation[]);
  const stored = records.map(({ attestation_id, user_data }) => [attestation_id, user_data]);
  return isDeepStrictEqual(stored, event ? [[id, userData]] : [])
    ? problems
    : [...problems, `has the event of ${name}, and as records ${status} ${text.slice(0, 200)}`];
}

async function allMoments(stack: Stack, flow: string, trail: string): Promise<Moment[]> {
  const moments: Moment[] = [];
  for (let page = 1; ; page += 1) {
    const read = await stack.get<{ moments: Moment[]; total_count: number }>(
      `/trails/${flow}/${trail}/moments?page=${page}&per_page=${MOST_PER_PAGE}`,
    );
    moments.push(...read.moments);
    if (read.moments.length < MOST_PER_PAGE) {
      if (read.total_count !== moments.length) throw new Error(`${trail}: ${read.total_count} moments announced`);
      return moments;
    }
  }
}

/** Returns the totals of a flow's lists. */
export async function listTotals(stack: Stack, flow: string): Promise<Omit<Found, 'problems'>> {
  const total = async (list: string) => {
    const { pagination } = await stack.get<{ pagination: { total: number } }>(`/${list}?flow=${flow}&per_page=1`);
    return pagination.total;
  };
  const artifacts: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const read = await stack.get<unknown[]>(`/artifacts?flow_name=${flow}&page=${page}&per_page=${MOST_PER_PAGE}`);
    artifacts.push(...read);
    if (read.length < MOST_PER_PAGE) break;
  }
  return { trails: await total('trails'), artifacts: artifacts.length, attestations: await total('attestations') };
}
