import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { FlowId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { CallerIdentity } from '#shared/callers/verified-identity.ts';
import {
  type AttestationComponents,
  readAttestationComponents,
  SbomState,
} from '#shared/evidence/records/attestation-components.ts';
import type { AttachmentFile, AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { evidenceDetail } from '#shared/evidence/rules/attestation-kinds.ts';
import { mayHaveSbom, mayHaveVex } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { Verification, verificationOf } from '#shared/evidence/rules/verification.ts';
import { readRecalls } from '#shared/signers/read-recalls.ts';
import { readFacts } from './attestation-facts.ts';
import { RecallsOut } from './recalls-output.ts';
import { recallsOf } from './rules/recalled.ts';
import { slotProof } from './rules/slot-proof.ts';

export const AttachmentOut = z
  .object({
    filename: z.string().describe('Name of the file'),
    size: z.int().describe('Size in bytes'),
    content_type: z.string().describe('Content type of the file'),
    sha256: z.string().nullable().meta({ description: 'Null once the file was erased' }),
    erased: ErasureOut,
  })
  .meta({ id: 'Attachment' });

/** Builds the answer for one file of an attestation. */
export const attachmentOut = ({
  filename,
  size,
  type,
  sha256,
  erased,
}: AttachmentFile): z.input<typeof AttachmentOut> => ({
  filename,
  size,
  sha256: erased ? null : sha256,
  content_type: type,
  ...erasedOut(erased),
});

/** The SBOM of an attestation in answers (rules/components.md#state). */
const ComponentsOut = z
  .object({
    state: z
      .enum(['pending', ...SbomState.options])
      .meta({ description: '`pending` until the service has read the file; `read`, `unreadable`, or `erased`' }),
    count: z.int().nullable().meta({ description: 'Number of components; null unless they were read' }),
    format: z.string().nullable().meta({ description: 'Format and version of the file; null unless it was read' }),
    why: z.string().nullable().meta({ description: 'Why the file cannot be read; null otherwise' }),
  })
  .meta({
    id: 'AttestationComponents',
    description: 'Whether the components of the SBOM are known',
  });
export type ComponentsOut = z.input<typeof ComponentsOut>;

/** The statements of OpenVEX of an attestation in answers (rules/components.md#state). */
const VexOut = z
  .object({
    state: z
      .enum(['pending', ...SbomState.options])
      .meta({ description: '`pending` until the service has read the file; `read`, `unreadable`, or `erased`' }),
    count: z.int().nullable().meta({ description: 'Number of statements; null unless they were read' }),
    left_out: z
      .int()
      .nullable()
      .meta({ description: 'Number of statements that do not fit the format; null unless the others were read' }),
    why: z.string().nullable().meta({ description: 'Why the document cannot be read; null otherwise' }),
  })
  .meta({ id: 'AttestationVex', description: 'Whether the statements of OpenVEX are known' });
type VexOut = z.input<typeof VexOut>;

/**
 * An attestation as clients read it: the common fields and those of its kind
 * (rules/attestations.md#attestation-as-read).
 */
export const AttestationOut = z
  .looseObject({
    attestation_id: z.string().describe('Id of the attestation'),
    attestation_name: z.string().describe('Name of the attestation in the template of the trail'),
    attestation_type: z.string().describe('Type of the attestation'),
    is_compliant: z.boolean().describe('Whether it is compliant'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    identity: CallerIdentity,
    verification: Verification.describe('How well it is known who made the evidence, and when'),
    recalls: RecallsOut.optional().describe(
      'The recalls that match its signature, by name: it does not count any more. Absent if there are none',
    ),
    flow_name: z.string().describe('Name of the flow'),
    trail_name: z.string().describe('Name of the trail'),
    artifact_fingerprint: z.string().nullable().describe('SHA-256 of the artifact that the attestation is about'),
    target_artifacts: z
      .array(z.string())
      .describe('Names of artifacts in the template that the attestation is about, also before they are reported'),
    git_commit_info: z.looseObject({}).nullable().describe('The commit of the report'),
    repo_info: z.looseObject({}).nullable().describe('The source repository of the report'),
    html_url: z.string().describe('Address of a page for people'),
    origin_url: z.string().nullable().describe('Address where the evidence comes from'),
    description: z.string().nullable().describe('A text for people'),
    annotations: z
      .record(z.string(), z.string())
      .nullable()
      .describe('Texts by name. A name has letters, digits and `_`'),
    external_urls: z
      .record(z.string(), z.looseObject({}))
      .nullable()
      .describe('Links by label. A label contains neither `.` nor `=`. A link is an address, or an object with `href`'),
    user_data: z.unknown().describe('Any JSON. It is stored and answered as it was sent'),
    attachments: z
      .array(AttachmentOut)
      .describe('Ids of uploaded files from `POST /attachments/{org}`. Each upload can be used once'),
    has_audit_package: z.boolean().describe('Whether the attestation has attachments'),
    components: ComponentsOut.optional().describe(
      'What was read of its SBOM; absent without a file that may be one, and in policy programs that do not ask for it',
    ),
    vex: VexOut.optional().describe(
      'What was read of its OpenVEX; absent without a file that may be one, and in policy programs',
    ),
    erased: ErasureOut,
  })
  .meta({ id: 'Attestation' });

/** What the answers need besides the records: the host for absolute addresses, and present names. */
interface Reader {
  host: string;
  org: Pick<Organization, 'id' | 'name'>;
  /** Returns the present name of a flow. */
  flowName: (flow: FlowId) => string | Promise<string>;
}

/**
 * Builds the answers for attestations, with the recalls that match them now and the state of their SBOMs and OpenVEX. Erased facts are shown as absent.
 * If one of them has a signature, the recalls are one Query; those that may have an SBOM or OpenVEX are one batch. Both are beside the reads of the facts.
 */
export async function attestationsOut(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  records: readonly AttestationRecord[],
  reader: Reader,
): Promise<z.input<typeof AttestationOut>[]> {
  const recallable = records.map(({ derived, at }) => ({ proof: slotProof(derived), at }));
  const hasSignature = recallable.some(({ proof }) => proof?.signature !== undefined);
  const candidates = records.filter((record) => mayHaveSbom(record) || mayHaveVex(record)).map(({ id }) => id);
  const [recalls, found, shown] = await Promise.all([
    hasSignature ? readRecalls(table, reader.org.id) : [],
    readAttestationComponents(table, reader.org.id, candidates),
    Promise.all(records.map(async (record) => ({ record, out: await attestationOut(objects, record, reader) }))),
  ]);
  return shown.map(({ record, out }) => {
    // What an erased record may have, it does not say any more: only its files are left of a bundle.
    const read = found.get(record.id) ?? (record.facts.erased ? null : undefined);
    const components = mayHaveSbom(record) ? componentsOut(read) : undefined;
    const vex = mayHaveVex(record) ? vexOut(read) : undefined;
    const matching = recallsOf({ proof: slotProof(record.derived), at: record.at }, recalls);
    return {
      ...out,
      ...(components && { components }),
      ...(vex && { vex }),
      ...(matching.length > 0 && { recalls: matching }),
    };
  });
}

/** @param found null if nothing was read and nothing will be; undefined if nothing was read yet */
export function componentsOut(found: AttestationComponents | null | undefined): ComponentsOut | undefined {
  if (found === undefined) return { state: 'pending', count: null, format: null, why: null };
  if (found === null) return undefined;
  const { state, count, format, why } = found;
  return state === 'none' ? undefined : { state, count, format, why };
}

/** @param found as for {@link componentsOut} */
function vexOut(found: AttestationComponents | null | undefined): VexOut | undefined {
  if (found === undefined) return { state: 'pending', count: null, left_out: null, why: null };
  if (!found?.vex) return undefined;
  const { state, count, leftOut, why } = found.vex;
  return { state, count, left_out: leftOut, why };
}

/** Builds the answer for an attestation as it was reported, without recalls, components and OpenVEX: policy programs get it. */
export async function attestationOut(
  objects: Objects,
  record: AttestationRecord,
  { host, org, flowName }: Reader,
): Promise<z.input<typeof AttestationOut>> {
  const [facts, flow] = await Promise.all([readFacts(objects, org.id, record.facts), flowName(record.flow)]);
  const page = absolute(host, `/${org.name}/flows/${flow}/trails/${record.trail}`);
  const attachments = record.files.map(attachmentOut);
  // The grade answers these two facts under names of its own.
  const { verification: _, observed: __, ...derived } = record.derived;
  const detail = evidenceDetail(record.type, { ...facts?.evidence, ...derived });
  return {
    ...detail,
    ...(facts?.attestation_data && { attestation_data: facts.attestation_data }),
    ...(record.type === 'decision' && {
      control_version: record.derived['control_version'] ?? null,
      evidence_files: attachments.map(({ filename }, n) => ({
        filename,
        download_url: `${host}/api/v2/attestations/${org.name}/${record.id}/attachments/${n}`,
      })),
    }),
    attestation_id: record.id,
    attestation_name: record.name,
    attestation_type: record.type,
    is_compliant: record.compliant,
    created_at: toSeconds(record.at),
    created_by: record.by,
    identity: record.identity ?? null,
    verification: verificationOf(record),
    flow_name: flow,
    trail_name: record.trail,
    artifact_fingerprint: record.fingerprint,
    target_artifacts: record.targets,
    git_commit_info: facts?.git_commit_info ?? null,
    repo_info: facts?.repo_info ?? null,
    html_url: `${page}?attestation_id=${record.id}`,
    origin_url: facts?.origin_url ?? null,
    description: facts?.description ?? null,
    annotations: facts?.annotations ?? null,
    external_urls: facts?.external_urls ?? null,
    user_data: facts?.user_data ?? {},
    attachments,
    has_audit_package: attachments.length > 0,
    ...erasedOut(record.facts.erased),
  };
}
