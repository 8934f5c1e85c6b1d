import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { momentsNotFound } from '#shared/evidence/rules/sentences.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { listMoments as list, type Moment as StoredMoment } from '#shared/evidence/trails/list-moments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';

const Moment = z
  .object({
    moment_number: z.int(),
    created_at: z.number(),
    kind: z.enum(MOMENT_KINDS),
    created_by: z.string(),
    identity: VerifiedIdentity.nullable(),
    compliance_state: z.string(),
    changes: z.array(z.string()),
    artifact: z
      .object({ artifact_id: z.string(), fingerprint: z.string(), template_reference_name: z.string() })
      .meta({ id: 'MomentArtifact' })
      .nullable(),
    attestation: z
      .object({
        attestation_id: z.string(),
        attestation_name: z.string(),
        attestation_type: z.string(),
        is_compliant: z.boolean(),
        artifact_fingerprint: z.string().nullable(),
        target_artifacts: z.array(z.string()),
      })
      .meta({ id: 'MomentAttestation' })
      .nullable(),
    hash: z.string(),
    previous_hash: z.string(),
    erased: ErasureOut.optional(),
  })
  .meta({ id: 'TrailMoment' });
type MomentOut = z.input<typeof Moment>;

/** GET /trails/{org}/{flow_name}/{trail_name}/moments: moments by ascending number (rules/trails.md#list-moments). */
export const listMoments = endpoint({
  operation: 'listTrailMoments',
  method: 'GET',
  path: '/trails/{org}/{flow_name}/{trail_name}/moments',
  summary: 'List the numbered moments of a trail',
  description: 'Beta.',
  access: 'reader',
  feature: 'evaluations',
  row: 11,
  query: z.object(pageFields({ perPage: 20 })),
  success: { 200: flatPageSchema('moments', Moment).meta({ id: 'TrailMomentsPage' }) },
  errors: [momentsNotFound],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { params, query, org } = request;
    const { page, per_page: perPage } = query;
    const target = { flow: params.flow_name, trail: params.trail_name };
    const { total, moments } = await list(stores, org, target, { page, perPage });
    const shown = { page, perPage, total, items: moments.map(momentOut) };
    return pageAnswer(request, shown, flatPage('moments', request, shown));
  },
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Shapes a moment: what happened, who did it, what it is about, and its link in the chain (rules/trails.md#list-moments). */
function momentOut(moment: StoredMoment): MomentOut {
  const { number, at, kind, content, hash, previous, erased } = moment;
  // Only the update of a trail has changes, and the service wrote them.
  const { changes = [] } = (content.show ?? {}) as { changes?: string[] };
  return {
    moment_number: number,
    created_at: toSeconds(at),
    kind,
    created_by: content.by.name,
    identity: content.by.identity ?? null,
    compliance_state: content.word,
    changes,
    artifact: artifactOut(moment),
    attestation: attestationOut(moment),
    hash: hex(hash),
    previous_hash: hex(previous),
    ...erasedOut(erased),
  };
}

function artifactOut({ content }: StoredMoment): MomentOut['artifact'] {
  const change = content.changes.find((one) => one.kind === 'artifact');
  return change
    ? { artifact_id: change.id, fingerprint: change.fingerprint, template_reference_name: change.name }
    : null;
}

function attestationOut({ content }: StoredMoment): MomentOut['attestation'] {
  const attestations = content.changes.filter((one) => one.kind === 'attestation');
  const [first] = attestations;
  if (!first) return null;
  const { scope, name, type, id, compliant } = first;
  return {
    attestation_id: id,
    attestation_name: name,
    // An override has the type of what it overrides in its slot, and its own type in what events show.
    attestation_type: String(content.show?.['type'] ?? type),
    is_compliant: compliant,
    artifact_fingerprint: scope.kind === 'fingerprint' ? scope.fingerprint : null,
    target_artifacts: attestations.flatMap((one) => (one.scope.kind === 'named' ? [one.scope.artifact] : [])),
  };
}
