import * as z from 'zod';
import type { Place } from '#functions/forms/artifact-url.ts';
import type { Id } from '#shared/base/ids.ts';
import { EPOCH, type Micros, secondsOf, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { ReferredNames, ShownEnvironment } from '#shared/environments/settings/get-environment.ts';
import type { EnvironmentStates } from '#shared/environments/settings/list-environments.ts';

const Interval = z
  .object({
    from: z.number().describe('When the state began, in seconds since the epoch, but not before the 30 days'),
    to: z.number().nullable().describe('When the state ended, in seconds since the epoch; null for the present state'),
    state: z.boolean().nullable().describe('Compliant or not; null = unknown'),
  })
  .meta({ id: 'StateInterval' });

/** The state of an environment over time (rules/environments.md#state-changes-over-time). */
const StatesOut = z
  .object({
    since: z
      .number()
      .nullable()
      .describe('Since when the present state is in force, in seconds since the epoch; null if unknown'),
    artifact_compliance_count: z
      .object({
        true: z.int().describe('Number of compliant artifacts'),
        false: z.int().describe('Number of non-compliant artifacts'),
        null: z.int().describe('Number of artifacts without a verdict, because no policy was attached'),
      })
      .nullable()
      .describe('Number of running artifacts by verdict'),
    intervals: z.array(Interval).describe('States of the last 30 days, oldest first, at most 60'),
    has_earlier: z.boolean().describe('Whether intervals of the last 30 days are left out, or were not recorded'),
  })
  .meta({ id: 'EnvironmentStates' });

export const statesOut = ({ since, counts, intervals, hasEarlier }: EnvironmentStates): z.input<typeof StatesOut> => ({
  since: secondsOrNull(since),
  artifact_compliance_count: counts,
  intervals: intervals.map(({ from, to, state }) => ({
    from: toSeconds(from),
    to: secondsOrNull(to),
    state,
  })),
  has_earlier: hasEarlier,
});

/** An environment as the API answers it (rules/environments.md#record). */
export const EnvironmentOut = z
  .object({
    org: z.string().describe('Name of the organization'),
    name: z.string().describe('Present name of the environment'),
    type: z.string().describe('Type of the environment; it never changes'),
    description: z.string().describe('A text for people'),
    last_modified_at: z.number().meta({ description: 'The last change of settings, report or snapshot' }),
    last_reported_at: z.number().nullable().meta({ description: 'The last accepted report; null for none' }),
    last_changed_at: z.number().nullable().meta({ description: 'The newest snapshot; null for none' }),
    state: z.boolean().nullable().meta({ description: 'Compliant or not; null = unknown' }),
    state_reason: z.string().nullable().meta({
      description:
        'Why the state is not that of the newest snapshot: reports stopped for longer than a policy allows, or evidence became too old. Null if it is that state',
    }),
    include_scaling: z.literal(false).meta({ deprecated: true }).describe('Deprecated and ignored'),
    require_provenance: z.boolean().meta({ deprecated: true }).describe('Deprecated, without effect'),
    tags: z.record(z.string(), z.string()).describe('Tags by name'),
    policies: z.array(z.string()).meta({ description: 'Names of the attached policies, in order' }),
    included_environments: z.array(z.string()).nullable().meta({
      description: 'Names of the members of a logical environment; null for others',
    }),
    html_url: z.string().describe('Address of a page for people'),
    states: StatesOut.optional().meta({
      description: 'The state over time and the verdicts of what runs; only in lists with `include=states`',
    }),
    usual_report_interval: z.number().nullable().optional().meta({
      description:
        'Only with `include=silence`: the usual time between two reports in seconds; null if reports come irregularly',
    }),
    silent_since: z.number().nullable().optional().meta({
      description:
        'Only with `include=silence`: the last report, if it is older than three usual intervals, else null. Of a logical environment: the oldest of its silent members',
    }),
    silent_members: z.array(z.string()).nullable().optional().meta({
      description: 'Only with `include=silence`: members of a logical environment that are silent; null for others',
    }),
    unreadable: z.literal(true).optional().meta({
      description: 'Set in lists if the record could not be read. Then only name and type are the record’s own.',
    }),
  })
  .meta({ id: 'Environment' });
export type EnvironmentOut = z.input<typeof EnvironmentOut>;

const byName = (one: string, other: string): number => (one < other ? -1 : 1);
const namesIn = (names: ReadonlyMap<Id, string>, ids: readonly Id[]) => ids.flatMap((id) => names.get(id) ?? []);
const secondsUnlessEpoch = (at: Micros): number | null => (at === 0 ? null : toSeconds(at));

export function environmentOut(at: Place, environment: ShownEnvironment, names: ReferredNames): EnvironmentOut {
  const { name, kind, state, stateReason, facts, tags, policies, members, silence } = environment;
  return {
    org: at.org.name,
    name,
    type: kind,
    description: facts.description,
    last_modified_at: toSeconds(environment.modified),
    last_reported_at: secondsUnlessEpoch(environment.reported),
    last_changed_at: secondsUnlessEpoch(environment.changed),
    state,
    state_reason: stateReason,
    include_scaling: false,
    require_provenance: facts.requireProvenance,
    tags,
    policies: namesIn(names.policies, policies).toSorted(byName),
    included_environments: kind === 'logical' ? namesIn(names.members, members) : null,
    html_url: pageUrl(at, '/{org}/environments/{env}', { env: name }),
    ...(silence && {
      usual_report_interval: silence.usual === null ? null : secondsOf(silence.usual),
      silent_since: secondsOrNull(silence.since),
      silent_members: kind === 'logical' ? silence.members.toSorted(byName) : null,
    }),
  };
}

/** The placeholder in a list for an environment whose record cannot be read (rules/lists.md#unreadable-records). */
export const unreadableEnvironment = (at: Place, name: string, type: string): EnvironmentOut => ({
  ...environmentOut(at, { ...NOTHING, name, kind: 'logical' }, NO_NAMES),
  type,
  included_environments: null,
  unreadable: true,
});

const NOTHING = {
  state: null,
  stateReason: null,
  facts: { description: '', requireProvenance: false },
  tags: {},
  policies: [],
  members: [],
  changed: EPOCH,
  reported: EPOCH,
  modified: EPOCH,
};
const NO_NAMES: ReferredNames = { policies: new Map(), members: new Map() };
