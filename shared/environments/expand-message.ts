import * as z from 'zod';
import { AttestationId, EnvironmentId, OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { HolderPlace } from '#shared/components/builds/places.ts';
import type { QueueMessage } from '#shared/queues/queue.ts';
import { Requests } from '#shared/queues/requests.ts';

/** An entry of a series with its attributes. */
const Entry = z.looseObject({ id: z.string() });

/** A message to the expander: work that can take long (rules/environments.md#expander). */
export const ExpansionMessage = z.discriminatedUnion('work', [
  /** The environment has snapshots that are not expanded. */
  z.object({ work: z.literal('expand'), org: OrganizationId, environment: EnvironmentId, requests: Requests }),
  /** Members or policies of a logical environment may differ from those of its newest snapshot. */
  z.object({ work: z.literal('group'), org: OrganizationId, environment: EnvironmentId }),
  /** Verdicts may have changed in these environments, and in those in which these fingerprints run. */
  z.object({
    work: z.literal('mark'),
    org: OrganizationId,
    environments: z.array(EnvironmentId),
    fingerprints: z.array(StoredFingerprint),
  }),
  /**
   * Environments may run what a version of a recall concerns, or the version before it: `turn` says which of both is looked for.
   * `place` is the end of the last step, and `marked` are environments that have their marks.
   */
  z.object({
    work: z.literal('recall'),
    org: OrganizationId,
    name: z.string(),
    version: z.int(),
    turn: z.int().default(0),
    place: z.object({ list: z.string(), after: z.string() }).nullable().default(null),
    marked: z.array(EnvironmentId).default([]),
  }),
  /**
   * The attestation may have an SBOM or OpenVEX. `place` says how many items of its set, or of its statements, are stored
   * (rules/components.md#worker).
   */
  z.object({
    work: z.literal('components'),
    org: OrganizationId,
    attestation: AttestationId,
    place: z.object({ set: z.string(), done: z.int() }).nullable().default(null),
  }),
  /** The watch asks the whole index of components. `from` says how far it got (rules/watches.md#asked-of-what-there-is). */
  z.object({
    work: z.literal('watch'),
    org: OrganizationId,
    watch: z.string(),
    name: z.string(),
    from: z.object({ since: StoredMicros, place: HolderPlace }).nullable().default(null),
  }),
  /** The series may have more complete milestones than one call appends. */
  z.object({ work: z.literal('settle'), org: OrganizationId, series: z.string() }),
  /** The entries appeared behind a milestone of the series, from which on the series has to be counted again. */
  z.object({ work: z.literal('recount'), org: OrganizationId, series: z.string(), entries: z.tuple([Entry], Entry) }),
]);
export type ExpansionMessage = z.infer<typeof ExpansionMessage>;

/**
 * Addresses a message to the expander. The organization is the message's group, so that much work of one organization
 * does not delay other organizations (rules/storage.md#queues).
 */
export const expansionMessage = (body: z.input<typeof ExpansionMessage>, delaySeconds = 0): QueueMessage => ({
  body,
  group: body.org,
  delaySeconds,
});
