import type { EnvironmentId, FlowId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import type { Queue } from '#shared/queues/queue.ts';
import type { ReadEvaluationsOf } from '#shared/reasons/read-seen.ts';
import type { EnvironmentMemory } from './environment-memory.ts';
import type { SnapshotRow } from './rules/content.ts';

/** Services of effects on environments: the table, the bucket with contents of snapshots, and the delivery queue. */
type EffectsServices = DeliveryServices & Pick<Stores, 'objects'>;

/** Services of effects of which the rest can be handed to the expander. */
export interface ExpanderServices extends EffectsServices {
  expansions: Queue;
}

export interface EffectsContext {
  services: EffectsServices;
  memory: EnvironmentMemory;
  log: WorkerLog;
  /** For the reasons of messages. */
  evaluationsOf: ReadEvaluationsOf;
}

/** Artifacts that started in an environment with a snapshot. Where they run is recorded. */
export interface StartedArtifacts {
  environment: EnvironmentId;
  rows: readonly Pick<SnapshotRow, 'fingerprint' | 'flows'>[];
}

/** What the expansion of snapshots needs besides. */
export interface ExpansionContext extends EffectsContext {
  /** Asks the watches of an organization about artifacts that started. A repeated call does no harm. */
  askStarts: (
    stores: Pick<Stores, 'table' | 'objects' | 'clock'>,
    org: OrganizationId,
    started: StartedArtifacts,
  ) => Promise<void>;
}

/** The changes that may change verdicts in an organization's environments (rules/environments.md#marks). */
export interface MarkNews {
  org: OrganizationId;
  moments: MomentFacts[];
  /** Flows whose head or tags changed: a flow may have been renamed, archived or tagged. */
  flows: Set<FlowId>;
  /** Policies with a new version. */
  policies: Set<PolicyId>;
  /** Identifiers of controls with a new version: what they ask of decisions may have changed. */
  controls: Set<string>;
}

/** The news of an organization with nothing in them. */
export const noMarkNews = (org: OrganizationId): MarkNews => ({
  org,
  moments: [],
  flows: new Set(),
  policies: new Set(),
  controls: new Set(),
});
