import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import { momentsNotFound } from '#shared/evidence/rules/sentences.ts';
import { MOMENT_KINDS } from '#shared/evidence/rules/trail-state.ts';
import { listMoments as list, type Moment as StoredMoment } from '#shared/evidence/trails/list-moments.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';

const Moment = z
  .object({
    moment_number: z.int().describe('Number of the moment in its trail, from 1 on'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    kind: z.enum(MOMENT_KINDS).describe('What happened'),
    created_by: z
      .string()
      .describe('Name of the user or service account that made the moment; empty once it was erased'),
    identity: CallerIdentity,
    compliance_state: z.string().describe('Verdict of the trail after the moment'),
    changes: z.array(z.string()).describe('What an update of the trail changed; empty for other kinds'),
    artifact: z
      .object({
        artifact_id: z.string().describe('Id of the report of the artifact'),
        fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
        template_reference_name: z.string().describe('Name of the artifact in the template of the trail'),
      })
      .meta({ id: 'MomentArtifact' })
      .nullable()
      .describe('The artifact that was reported; null for other kinds'),
    attestation: z
      .object({
        attestation_id: z.string().describe('Id of the attestation'),
        attestation_name: z.string().describe('Name of the attestation in the template of the trail'),
        attestation_type: z.string().describe('Type of the attestation'),
        is_compliant: z.boolean().describe('Whether it is compliant'),
        artifact_fingerprint: z.string().nullable().describe('SHA-256 of the artifact that the attestation is about'),
        target_artifacts: z
          .array(z.string())
          .describe('Names of artifacts in the template that the attestation is about, also before they are reported'),
      })
      .meta({ id: 'MomentAttestation' })
      .nullable()
      .describe('The attestation that was reported; null for other kinds'),
    hash: z.string().describe('Hash of the moment in the chain of the trail, in hex'),
    previous_hash: z.string().describe('Hash of the moment before, in hex; zeros for the first'),
    erased: ErasureOut,
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
  success: {
    200: flatPageSchema('moments', Moment, 'The moments of the page, oldest first').meta({ id: 'TrailMomentsPage' }),
  },
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
