import * as z from 'zod';
import { AttestationId, EnvironmentId, FlowId, type Id, idAt, OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';

/** Triggers about expectations (`rules/notifications.md#gap-events`). Flow actions and environment notifications have them. */
const EXPECTATION_TRIGGERS = ['ON_EXPECTATION_DUE_SOON', 'ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN'] as const;
/** The trigger of watches (`rules/notifications.md#exposure-events`). Flow actions and environment notifications have it. */
const EXPOSURE_TRIGGER = 'ON_EXPOSURE';
/**
 * Triggers of flow actions (`rules/notifications.md#flow-triggers`). `ON_APPROVAL` and `ON_RELEASE` are accepted and never fire
 * (`rules/notifications.md#triggers-that-never-fire`).
 */
export const FLOW_TRIGGERS = [
  'ON_STARTED_TRAIL',
  'ON_ATTESTED_PROVENANCE',
  'ON_ATTESTATION',
  'ON_APPROVAL',
  'ON_RELEASE',
  ...EXPECTATION_TRIGGERS,
  EXPOSURE_TRIGGER,
] as const;
/**
 * Triggers of environment notifications (`rules/notifications.md#environment-triggers`). `ON_SCALED_ARTIFACT` is
 * accepted and never fires.
 */
export const ENVIRONMENT_TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_SCALED_ARTIFACT',
  'ON_ALLOWED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  ...EXPECTATION_TRIGGERS,
  EXPOSURE_TRIGGER,
] as const;
export const Trigger = z.enum([...new Set([...FLOW_TRIGGERS, ...ENVIRONMENT_TRIGGERS])]);
export type Trigger = z.infer<typeof Trigger>;

export const TARGET_TYPES = ['CHAT', 'WEBHOOK', 'EMAIL'] as const;

/**
 * A target as it is stored. Its `key` is computed from type and address, so a target with a changed address is a new
 * target (`rules/notifications.md#target-key`).
 */
export const Target = z.object({
  key: z.string(),
  type: z.enum(TARGET_TYPES),
  /** Address of a chat or webhook target. */
  webhook: z.string().optional(),
  payloadVersion: z.string().optional(),
  emails: z.array(z.string()).optional(),
  context: z.object({ channel_id: z.string(), channel_name: z.string(), team_id: z.string() }).partial().optional(),
});
export type Target = z.infer<typeof Target>;

/** One version of a flow action or an environment notification (`rules/notifications.md#action-record`). */
export const ActionRecord = z.object({
  number: z.int(),
  kind: z.enum(['flow', 'env']),
  name: z.string(),
  triggers: z.array(Trigger),
  /** Ids; empty = every flow. */
  flows: z.array(FlowId),
  environments: z.array(EnvironmentId),
  targets: z.array(Target),
  by: z.string(),
  created: StoredMicros,
  modified: StoredMicros,
  /** Counts the saves, from 1. */
  version: z.int(),
  deleted: z.boolean(),
});
export type ActionRecord = z.infer<typeof ActionRecord>;

/**
 * A target without the path of its address. Whoever knows the whole address of a chat can post there, and an export is
 * handed to others (rules/exports.md#secrets).
 */
export const ShownTarget = Target.extend({
  webhook: z
    .string()
    .transform((address) => new URL(address).origin)
    .optional(),
});

/** How exports show actions. */
export const SHOWN_ACTION = { item: 'action', schema: ActionRecord.extend({ targets: z.array(ShownTarget) }) };

/** Delivery health of one target (`rules/notifications.md#health`); 0 = never. */
export const TargetHealth = z.object({
  key: z.string(),
  lastSuccess: StoredMicros,
  lastFailure: StoredMicros,
  /** The target answered 410: nothing is sent until the action is saved again. */
  disabled: z.boolean(),
  /** Failures since the last success, at most {@link CIRCUIT_FAILURES}; at that number the circuit opens. */
  failures: z.int(),
  /** While the circuit is open: when the next single probe may be made. */
  probeAt: StoredMicros,
  /** Times of the failures that `failures` counts, ascending. */
  recent: z.array(StoredMicros),
});
export type TargetHealth = z.infer<typeof TargetHealth>;
export const CIRCUIT_FAILURES = 5;

/** A sentence without a full stop, and the attestation whose texts it may quote; absent if it quotes names only. */
const NoticeReason = z.object({ says: z.string(), attestation: z.string().optional() });
export type NoticeReason = z.infer<typeof NoticeReason>;

/**
 * An event in the words of the time when its delivery was made. Later changes of names do not change it. All payloads
 * are made from it (`rules/notifications.md#payload`).
 */
export const Notice = z.object({
  /** Id of the event; ids of deliveries derive from it. */
  event: z.string(),
  at: StoredMicros,
  trigger: Trigger,
  eventType: z.string(),
  org: z.string(),
  description: z.string(),
  test: z.boolean().optional(),
  /** Name of the user or service account that caused the event. */
  actor: z.string().optional(),
  /** Compliance word of the trail after the event. */
  state: z.string().optional(),
  flow: z.string().optional(),
  trail: z.string().optional(),
  htmlPath: z.string().optional(),
  apiPath: z.string().optional(),
  attestation: z.object({ id: AttestationId, name: z.string(), type: z.string(), compliant: z.boolean() }).optional(),
  artifact: z
    .object({
      name: z.string(),
      fingerprint: z.string(),
      provenance: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  environment: z.string().optional(),
  snapshot: z.object({ index: z.int(), status: z.string() }).optional(),
  /** What was missing (`rules/notifications.md#gap-events`). */
  gap: z
    .object({
      id: z.string(),
      expectation: z.string(),
      kind: z.string(),
      severity: z.string(),
      owner: z.string().optional(),
      /** `type`, and the names that belong to it. */
      subject: z.record(z.string(), z.string()),
      from: StoredMicros,
      /** Absent while the gap lasts. */
      until: StoredMicros.optional(),
    })
    .optional(),
  /** What is due soon (`rules/notifications.md#due-soon`). */
  expected: z
    .object({
      expectation: z.string(),
      kind: z.string(),
      severity: z.string(),
      owner: z.string().optional(),
      /** `type`, and the names that belong to it. */
      subject: z.record(z.string(), z.string()),
      due: StoredMicros,
    })
    .optional(),
  /** What a watch matched (`rules/notifications.md#exposure-events`). */
  exposure: z
    .object({
      watch: z.string(),
      match: z.enum(['first', 'environment']),
      purl: z.string(),
      versions: z.string().optional(),
      vulnerability: z.string().optional(),
      attestation: AttestationId,
    })
    .optional(),
  /** Why the event is not compliant (`rules/notifications.md#reason`). Absent if nothing says why. */
  reason: NoticeReason.optional(),
});
export type Notice = z.infer<typeof Notice>;

export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'discarded'] as const;

/**
 * One event for one target (`rules/notifications.md#delivery-record`). The id is the same for all attempts.
 * `discarded`: the target is gone or disabled, so nothing will be sent.
 */
export const Delivery = z.object({
  id: z.string(),
  action: z.int(),
  target: Target,
  notice: Notice,
  state: z.enum(DELIVERY_STATES),
  /** Attempts made. */
  attempts: z.int(),
  /** Attempts made before the last redelivery or replay. The schedule does not count them. Absent = 0. */
  attemptsBefore: z.int().optional(),
  /** When the next attempt is due; meaningful while pending. */
  due: StoredMicros,
  created: StoredMicros,
  /** Id of the request that caused the event, or that had the delivery sent again. Absent in deliveries of earlier releases. */
  request: z.string().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** One attempt of a delivery (`rules/notifications.md#attempts`). */
export const Attempt = z.object({
  attempt: z.int(),
  at: StoredMicros,
  /** Milliseconds. */
  duration: z.number(),
  /** HTTP status; null where no answer came, and for mail. */
  status: z.int().nullable(),
  outcome: z.enum(['delivered', 'failed', 'refused', 'gone']),
  detail: z.string(),
  /** SHA-256 of the beginning of the target's answer, in hex; null where no answer came, and for mail. */
  digest: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The message that asks the notifier for one attempt. */
export const DeliveryMessage = z.object({
  org: OrganizationId,
  action: z.int(),
  delivery: z.string(),
  /** Attempts made when the message was sent. If the delivery has another number now, the message is stale. */
  attempts: z.int(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** Computes the id of an event's delivery to a target. Equal arguments give equal ids, and ids sort by the event's time. */
export const deliveryId = (event: Id, at: Micros, action: number, target: string): Id =>
  idAt(at, `delivery|${event}|${action}|${target}`);
