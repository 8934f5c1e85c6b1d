import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readFacts } from './attestation-facts.ts';
import { findFilledSlots } from './judge-attestation.ts';
import { readAttestation } from './records/attestation-records.ts';
import { readSituation } from './records/trails.ts';
import type { AttestationKind, CommonReport } from './rules/attestation-kinds.ts';
import { isAttestable, scopesOf } from './rules/scope.ts';
import { artifactNotInTrail, unknownFlow, unknownTrail } from './rules/sentences.ts';

/**
 * Finds the attestation in whose place a report would come: the latest of its name and type in the trail, or for an override the one
 * that it overrides.
 *
 * @returns the id of the trail, and the slot of the attestation with what was reported; null if there is none. `facts` is null if they
 *   were erased
 * @throws ServiceError `not-found` if there is no such flow or trail, or if the artifact was not reported in the trail
 */
export async function findReplaced(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  target: { flow: FlowName; trail: TrailName },
  kind: AttestationKind,
  body: CommonReport,
) {
  const situation = await readSituation(table, objects, org.id, target);
  const names = { ...target, org: org.name };
  if (!situation.flow || situation.flow.archived !== null) throw unknownFlow(names);
  if (!situation.trail) throw unknownTrail(names);
  const { head, state } = situation.trail;
  const found = scopesOf(body);
  const scopes = found.outcome === 'scopes' ? found.scopes : [];
  if (!scopes.every((scope) => isAttestable(scope, state, kind.takesAnyFingerprint(body)))) {
    throw artifactNotInTrail({ ...names, fingerprint: body.artifact_fingerprint ?? '' });
  }
  const [filled] = await findFilledSlots({ table, objects }, org, kind, body, situation, scopes);
  const slot = filled?.replaced;
  const record = slot && (await readAttestation(table, org.id, slot.id));
  const facts = record ? await readFacts(objects, org.id, record.facts) : null;
  return { trail: head.id, replaced: slot ? { slot, facts } : null };
}
