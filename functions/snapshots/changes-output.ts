import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import { TargetPlace, targetPlace } from '#functions/forms/target-place.ts';
import { type Micros, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type {
  EdgeSnapshot,
  EnvironmentChanges,
  ExplainedChange,
  NamedDelivery,
} from '#shared/environments/changes/list-changes.ts';
import type { Approval } from '#shared/environments/rules/changes/approvals.ts';
import { CHANGE_KINDS } from '#shared/environments/rules/changes/pair-rows.ts';
import type { ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import type { Provenance } from '#shared/evidence/provenance.ts';
import { flatPageSchema } from '#shared/http/paging.ts';
import { DELIVERY_STATES } from '#shared/notifications/rules/records.ts';

const SECONDS = 'in seconds since the epoch';
const state = () => z.boolean().nullable();

const SideOut = z
  .object({
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    name: z.string().describe('Name of the artifact, as the environment reported it'),
    state: state().describe('Verdict at this end of the period; null = unknown'),
    allowed: z.boolean().describe('Whether it was on the allow-list'),
    instances: z.int().describe('Number of instances'),
    flow_name: z.string().nullable().describe('Primary flow; null without provenance'),
    trail_name: z.string().nullable().describe('Trail of the report; null without provenance'),
    git_commit: z.string().nullable().describe('Commit of the report; null without provenance'),
    commit_url: z.string().nullable().describe('Address of the commit'),
    author: z.string().nullable().describe('Author of the commit, as the report names him; null if it names none'),
    message: z.string().nullable().describe('Message of the commit; null if the report has none'),
    html_url: z.string().nullable().describe('Page of the artifact; null without provenance'),
  })
  .meta({ id: 'ChangedArtifact' });

const ApprovalOut = z
  .object({
    kind: z
      .enum(['pull_request', 'decision', 'override', 'allow_list'])
      .describe('A review, a decision on a control, an override of an attestation, or an entry of the allow-list'),
    by: z.string().describe('Reviewer, or name of the user or service account'),
    at: z.number().nullable().describe(`When it happened, ${SECONDS}; null if a review does not say so`),
    is_compliant: z.boolean().describe('False for a decision or an override against the artifact'),
    attestation_name: z.string().nullable().describe('Name of the attestation; null for the allow-list'),
    attestation_id: z.string().nullable().describe('Id of the attestation; null for the allow-list'),
    control: z.string().nullable().describe('Identifier of the control of a decision'),
    url: z.string().nullable().describe('Address of the pull request, as it was reported'),
    reason: z.string().nullable().describe('The reason of an override or of an entry of the allow-list'),
    signer: z.string().nullable().describe('Who signed a decision; null if nobody did'),
  })
  .meta({ id: 'ChangeApproval' });

const ChangeDeliveryOut = z
  .object({
    delivery_id: z.string().describe('Id of the delivery'),
    action: z
      .object({
        number: z.int().describe('Number of the action'),
        name: z.string().describe('Present name; empty if the action was deleted'),
      })
      .describe('The action that the delivery belongs to'),
    trigger: z.string().describe('The trigger of the event'),
    description: z.string().describe('What happened, in a sentence'),
    target: TargetPlace.describe('Where the event is sent'),
    state: z.enum(DELIVERY_STATES).describe('State of the delivery'),
    at: z.number().describe(`When the event happened, ${SECONDS}`),
  })
  .meta({ id: 'ChangeNotification' });

const ChangeOut = z
  .object({
    kind: z
      .enum(CHANGE_KINDS)
      .describe('Another artifact of the same name, one that started or stopped, another verdict, or other instances'),
    environment_name: z.string().optional().describe('In a logical environment: the member in which it runs'),
    before: SideOut.nullable().describe('The artifact when the period began; null if it started'),
    after: SideOut.nullable().describe('The artifact when the period ended; null if it stopped'),
    at: z.number().nullable().describe(`When it happened, ${SECONDS}; null if no event says so`),
    snapshot_index: z.int().nullable().describe('Number of the snapshot in which it happened'),
    code_diff: z.string().nullable().describe('Address of the difference of the code; null if unknown'),
    approvals: z.array(ApprovalOut).describe('Who let the present artifact through'),
    notified: z
      .array(ChangeDeliveryOut)
      .describe('Deliveries about the artifact, or about the environment in the same snapshot'),
  })
  .meta({ id: 'EnvironmentChange' });

const EdgeOut = z.object({
  snapshot_index: z.int().describe('Number of the snapshot'),
  at: z.number().describe(`Time of the snapshot, ${SECONDS}`),
  state: state().describe('Compliant or not; null = unknown'),
  html_url: z.string().describe('Page of the snapshot'),
});

const count = (description: string) => z.int().describe(description);

/** What changed in an environment between two instants (rules/environments.md#changes-between-instants). */
export const ChangesOut = flatPageSchema('changes', ChangeOut, 'What changed, what is not compliant first')
  .extend({
    environment: z.string().describe('Present name of the environment'),
    from: z.number().describe(`Begin of the period, ${SECONDS}`),
    to: z.number().describe(`End of the period, ${SECONDS}`),
    before: EdgeOut.nullable().describe('The newest snapshot when the period began; null if there was none yet'),
    after: EdgeOut.nullable().describe('The newest snapshot when the period ended; null if there was none yet'),
    first_snapshot_at: z
      .number()
      .nullable()
      .describe(`Time of the first snapshot, ${SECONDS}, if the period begins before it; else null`),
    last_compliant_at: z
      .number()
      .nullable()
      .describe('The last instant at which the environment was compliant; null if it is now, or was not lately'),
    totals: z
      .object({
        replaced: count('Artifacts that another one of the same name replaced'),
        started: count('Artifacts that started'),
        stopped: count('Artifacts that stopped'),
        judged: count('Artifacts that run on with another verdict'),
        scaled: count('Artifacts that run on with another number of instances'),
      })
      .describe('Number of changes on all pages'),
    only_between: z.int().nullable().describe('Artifacts that ran only between both ends; null if nobody counted'),
    notified: z.array(ChangeDeliveryOut).describe('Deliveries about the state of the whole environment'),
    notified_complete: z.boolean().describe('False if older deliveries of the period were not read'),
  })
  .meta({ id: 'EnvironmentChanges' });

type Out = z.input<typeof ChangesOut>;

/** Everything of the answer but the fields of the page. */
export function changesOut(at: Place, period: { from: Micros; to: Micros }, found: EnvironmentChanges) {
  const { head, before, after, firstAt, lastCompliant, totals, onlyBetween, deliveries, hasAllDeliveries } = found;
  const edge = (snapshot: EdgeSnapshot | null) => snapshot && edgeOut(at, head.name, snapshot);
  return {
    environment: head.name,
    from: toSeconds(period.from),
    to: toSeconds(period.to),
    before: edge(before),
    after: edge(after),
    first_snapshot_at: secondsOrNull(firstAt),
    last_compliant_at: secondsOrNull(lastCompliant),
    totals,
    only_between: onlyBetween,
    notified: deliveries.map(deliveryOut),
    notified_complete: hasAllDeliveries,
  };
}

const edgeOut = (at: Place, env: string, { index, ...snapshot }: EdgeSnapshot): z.input<typeof EdgeOut> => ({
  snapshot_index: index,
  at: toSeconds(snapshot.at),
  state: snapshot.state,
  html_url: pageUrl(at, '/{org}/environments/{env}/snapshots/{expression}', { env, expression: String(index) }),
});

export function changeOut(place: Place, change: ExplainedChange): Out['changes'][number] {
  const { kind, before, after, moment, provenance, codeDiff, approvals, deliveries } = change;
  const member = (after ?? before)?.environmentName;
  return {
    kind,
    ...(member !== undefined && { environment_name: member }),
    before: before && sideOut(place, before, provenance.before),
    after: after && sideOut(place, after, provenance.after),
    at: secondsOrNull(moment?.at ?? null),
    snapshot_index: moment?.index ?? null,
    code_diff: codeDiff,
    approvals: approvals.map(approvalOut),
    notified: deliveries.map(deliveryOut),
  };
}

function sideOut(place: Place, row: ShownRow, provenance: Provenance | null): z.input<typeof SideOut> {
  const { fingerprint, name, compliant, allowed, started } = row;
  const [primary] = row.flows;
  const commit = provenance?.commitInfo;
  return {
    fingerprint,
    name,
    state: compliant,
    allowed,
    instances: started.length,
    flow_name: primary?.name ?? null,
    trail_name: primary?.trailName ?? null,
    git_commit: primary?.commit ?? null,
    commit_url: provenance?.commitUrl ?? null,
    author: commit?.author || null,
    message: commit?.message || null,
    html_url: primary ? artifactUrl(place, primary.name, fingerprint, primary.report) : null,
  };
}

const approvalOut = (approval: Approval): z.input<typeof ApprovalOut> => {
  const { kind, by, at, compliant, name, attestation, control, url, reason, signer } = approval;
  return {
    kind,
    by,
    at: secondsOrNull(at),
    is_compliant: compliant,
    attestation_name: name,
    attestation_id: attestation,
    control,
    url,
    reason,
    signer,
  };
};

const deliveryOut = ({ delivery, actionName }: NamedDelivery): z.input<typeof ChangeDeliveryOut> => ({
  delivery_id: delivery.id,
  action: { number: delivery.action, name: actionName },
  trigger: delivery.notice.trigger,
  description: delivery.notice.description,
  target: targetPlace(delivery.target),
  state: delivery.state,
  at: toSeconds(delivery.notice.at),
});
