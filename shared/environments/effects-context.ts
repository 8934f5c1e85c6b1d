import type { EnvironmentId, FlowId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import type { Services } from '#shared/http/services.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import type { DeliveryServices } from '#shared/notifications/services.ts';
import type { EnvironmentMemory, FlowHeadNews } from './environment-memory.ts';
import type { AllowedItem } from './records/environment-records.ts';

/** What effects of environments work with: snapshots have contents in the bucket, and are told of. */
export interface EnvironmentRelay {
  services: DeliveryServices & Pick<Services, 'objects'>;
  memory: EnvironmentMemory;
  log: RelayLog;
}

/** Snapshots of an environment that a batch brings. */
export interface SnapshotNews {
  org: OrganizationId;
  environment: EnvironmentId;
  /** Number of the newest. */
  upTo: number;
  record: number;
}

/** A logical environment whose members or policies may have changed. */
export interface GroupNews {
  org: OrganizationId;
  environment: EnvironmentId;
  /** Counts its changes of settings. */
  rev: number;
  record: number;
}

/** What a batch says of an organization that may change the verdict of what runs (design §5). */
export interface MarkNews {
  org: OrganizationId;
  moments: MomentFacts[];
  /** Heads of flows, in the order of their changes: their name may be another, or they were archived. */
  flows: FlowHeadNews[];
  /** Flows whose tags changed. */
  tagged: Set<FlowId>;
  /** Policies with a new version. */
  policies: Set<PolicyId>;
  record: number;
}

/** Entries of allow-lists. */
export interface AllowedNews {
  org: OrganizationId;
  entries: AllowedItem[];
  record: number;
}
