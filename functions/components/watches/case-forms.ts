import * as z from 'zod';
import { TargetPlace, targetPlace } from '#functions/forms/target-place.ts';
import { toSeconds } from '#shared/base/time.ts';
import { DELIVERY_STATES } from '#shared/notifications/rules/records.ts';
import type { Case } from '#shared/watches/case/read-case.ts';
import { shownEvent, shownFacts } from '#shared/watches/case/shown-case.ts';
import { EVENTS, timelineOf } from '#shared/watches/case/timeline.ts';
import { WatchOut, watchOut } from './watch-forms.ts';

/** The case of a watch in answers (rules/watches.md#case). */

const EventOut = z
  .object({
    kind: z.enum(EVENTS).describe('What happened'),
    at: z.number().describe('When it happened, in seconds since the epoch'),
    by: z.string().optional().meta({ description: 'Who asked, or said since when the organization knows' }),
    note: z.string().nullable().optional().meta({ description: 'Of `known`: from where the organization knows it' }),
    environment: z.string().optional().meta({ description: 'Present name of the environment' }),
    snapshot_index: z.int().nullable().optional().meta({ description: 'The snapshot that showed it' }),
    flow_name: z.string().optional().meta({ description: 'Present name of the flow of the SBOM' }),
    trail_name: z.string().optional().meta({ description: 'Name of the trail of the SBOM' }),
    attestation_id: z.string().optional().meta({ description: 'Id of the attestation with the SBOM' }),
    artifact_name: z.string().nullable().optional().meta({ description: 'Name of the artifact in its trail' }),
    fingerprint: z.string().optional().meta({ description: 'SHA-256 of the artifact' }),
    said_not_affected: z.boolean().optional().meta({
      description: 'Of `matched`: true if all artifacts of the build are said not to be affected; absent otherwise',
    }),
    action_number: z.int().optional().meta({ description: 'Of `told`: number of the action' }),
    action_name: z.string().nullable().optional().meta({
      description: 'Of `told`: present name of the action; null if it was deleted',
    }),
    target: TargetPlace.optional().meta({ description: 'Of `told`: where the message is sent' }),
    state: z.enum(DELIVERY_STATES).optional().meta({ description: 'Of `told`: state of the delivery' }),
  })
  .meta({ id: 'CaseEvent' });

export const CaseOut = z
  .object({
    watch: WatchOut.describe('The watch'),
    as_of: z.number().describe('The instant that the case is about, in seconds since the epoch'),
    known_since: z
      .number()
      .nullable()
      .describe('Since when the organization knows: what a person said, or the first match; null if neither is there'),
    known_from: z
      .enum(['person', 'match'])
      .nullable()
      .describe('`person`: somebody said `known_since`; `match`: the watch matched then; null if `known_since` is'),
    due_at: z
      .number()
      .nullable()
      .describe('24 hours after `known_since`, in seconds since the epoch; null if `known_since` is'),
    affected_builds: z.int().describe('SBOMs that hold an asked version and count'),
    first_affected_at: z
      .number()
      .nullable()
      .describe('When the oldest of them was reported, in seconds since the epoch; null without any'),
    not_affected_builds: z
      .int()
      .describe('SBOMs that hold an asked version, and whose artifacts are all said not to be affected'),
    environments: z
      .array(
        z.object({
          environment: z.string().describe('Present name of the environment'),
          artifacts: z.int().describe('Affected artifacts that run or ran in it'),
          since: z.number().nullable().describe('When the first of them started; null if nobody knows'),
          until: z.number().nullable().describe('When the last of them stopped; null while one runs'),
        }),
      )
      .describe('Where affected artifacts run and ran, in the order of the first starts'),
    stopped_at: z
      .number()
      .nullable()
      .describe('When the last affected artifact stopped; null while one runs, and if none ever ran'),
    complete: z
      .boolean()
      .describe(
        'False if there are more than 1,000 builds: then the newest ones are missing, and fixed builds are not looked for',
      ),
    timeline: z.array(EventOut).describe('What happened, the oldest first'),
  })
  .meta({ id: 'WatchCase' });

export const caseOut = (one: Case): z.input<typeof CaseOut> => ({
  ...shownFacts(one),
  watch: watchOut(one.found),
  as_of: toSeconds(one.asOf),
  timeline: timelineOf(one).map((event) => ({
    ...shownEvent(event),
    ...(event.told && { target: targetPlace(event.told.delivery.target) }),
  })),
});
