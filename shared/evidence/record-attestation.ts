import { isDeepStrictEqual } from 'node:util';
import { invalid } from '#shared/base/errors.ts';
import { type AttestationId, newId, type TrailId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { changedMeanwhile } from '#shared/base/sentences.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Engines } from '#shared/engines/engines.ts';
import { claimedFiles, inlineFiles, type ReportedFiles } from '#shared/evidence/attachments.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { type AttestationRecord, attestationWrites } from '#shared/evidence/records/attestation-records.ts';
import {
  identityOf,
  type Reported,
  type Reporter,
  type ReportPlan,
  report,
  reportedCommit,
  startOnce,
  startRepo,
} from '#shared/evidence/reporting.ts';
import type { AttestationKind, CommonReport } from '#shared/evidence/rules/attestation-kinds.ts';
import { isAttestable, momentKindOf, scopesOf, targetLabel } from '#shared/evidence/rules/scope.ts';
import { artifactNotInTrail } from '#shared/evidence/rules/sentences.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import { EMPTY_TRAIL, type Scope, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { Verification } from '#shared/evidence/rules/verification.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { factsText } from './attestation-facts.ts';
import { type DecisionBinding, findFilledSlots, judgeAttestation } from './judge-attestation.ts';
import { sealRecord } from './records/sealed-records.ts';
import { COMMIT_USES } from './records/trail-commit.ts';
import type { Situation } from './records/trails.ts';
import { SbomReport } from './rules/kinds/sbom.ts';
import { readSbomFacts } from './sbom-facts.ts';

/** Most files of one attestation, inline files and uploads together (rules/attestations.md#attachments). */
const MOST_FILES = 20;

/** What recording an attestation reads and writes. */
export const ATTEST_USES: Uses = usesTogether([
  COMMIT_USES,
  { writes: ['ATTESTATION', 'DECISION'], bucket: ['uploads:read', 'evidence:write'] },
]);

/** The stores of a report, and the engines that judge its data. */
export type AttestingServices = Stores & { engines: Engines };

/** The attestation that a report made. */
export interface MadeAttestation {
  id: AttestationId;
}

/** Which attestation of which trail another one replaces. */
export interface Replacing {
  trail: TrailId;
  attestation: AttestationId | null;
}

/** An attestation as it is reported. */
interface ReportedAttestation {
  kind: AttestationKind;
  body: CommonReport;
  /** The JSON text that `body` was parsed from. */
  bodyText: string;
  files: readonly FilePart[];
  /** Minted here unless given. A caller that retries with the same id records the attestation once. */
  id?: AttestationId;
  /** Facts that the service knows besides the report: that it is its own, or what it verified. */
  known?: { observed: true } | { verification: Verification };
  /**
   * The trail that has to be there, and the attestation in whose place this one comes; null = none. If either is another one, the
   * report is refused. Left out, any may be there, or none.
   */
  inPlaceOf?: Replacing;
  /** The repository, if several attestations of one request share its read. Left out, it is read for this one. */
  repo?: ReturnType<typeof startRepo>;
}

/**
 * Records an attestation in a trail. Creates the flow and the trail if they do not exist
 * (rules/trails.md#created-by-a-report).
 *
 * @param binding connects a decision to the control that it names
 * @throws ServiceError the errors that the attesting endpoints declare
 */
export const recordAttestation = (
  services: AttestingServices,
  by: Author<Reported<MadeAttestation>>,
  target: { flow: FlowName; trail: TrailName },
  reported: ReportedAttestation,
  binding: DecisionBinding,
): Promise<Reported<MadeAttestation>> =>
  report(services, by, target, planAttestation(services, by, target, reported, binding));

/**
 * Starts the work on an attestation that does not depend on the trail.
 *
 * @param target names of flow and trail, for error sentences and for the uses of bodies
 * @returns plans the moments of the attestation; each call returns a plan for the trail as it is then
 */
export function planAttestation(
  services: AttestingServices,
  { org, caller }: Reporter,
  target: { flow: FlowName; trail: TrailName },
  {
    kind,
    body,
    bodyText,
    files: parts,
    id = newId(services.clock.now()),
    known,
    inPlaceOf,
    repo: shared,
  }: ReportedAttestation,
  binding: DecisionBinding,
): (situation: Situation) => Promise<ReportPlan<MadeAttestation>> {
  const scopes = targetScopes(body);
  const { artifact_fingerprint: fingerprint } = body;
  const control = kind.controlOf?.(body);
  const repo = shared ?? startRepo(services, org, body.repo_info);
  // This work does not depend on the flow or the trail, so it runs in parallel with their read. It is done once: a
  // retry after a lost race uses the same verdict and the same files.
  const independent = startOnce(() =>
    allInOrder([
      judgeAttestation(services, org, kind, body, bodyText, binding),
      readFiles(services, org, kind, body, parts),
      // Only decisions and their overrides can be about artifacts of other trails (rules/trails.md#decisions-on-other-artifacts).
      fingerprint != null && kind.takesAnyFingerprint(body) ? readBuild(services.table, org.id, fingerprint) : null,
    ]),
  );
  const type = kind.recordType(body);
  const facts = prepareBody(services.objects, org.id, factsText(kind, body, bodyText), `attestation:${id}`);
  const commit = reportedCommit(services, org, target, body.git_commit_info);

  return async (situation) => {
    const state = situation.trail?.state ?? EMPTY_TRAIL;
    const [judged, { files, found }, build] = await independent();
    if (!scopes.every((scope) => isAttestable(scope, state, build !== null))) {
      throw artifactNotInTrail({ ...target, org: org.name, fingerprint: fingerprint ?? '' });
    }
    const reportedRepo = await repo(situation.trail?.state);
    const slots = await findFilledSlots(services, org, kind, body, situation, scopes);
    const present = { trail: situation.trail?.head.id, attestation: slots[0]?.replaced?.id ?? null };
    if (inPlaceOf && !isDeepStrictEqual(present, inPlaceOf)) {
      throw changedMeanwhile({ what: `Attestation '${body.attestation_name}' of trail '${target.trail}'` });
    }
    const derived = { ...judged.derived, ...found, ...slots[0]?.derived, ...known };
    const proof = slotProof(derived);
    const changes = scopes.map((scope, i): SlotChange => {
      const { type: slotType = type, overridden = null } = slots[i] ?? {};
      return {
        kind: 'attestation',
        scope,
        name: body.attestation_name,
        type: slotType,
        id,
        compliant: judged.compliant,
        overridden,
        ...(proof && { proof }),
      };
    });
    const label = targetLabel(body, state);
    return {
      made: { id },
      writes: reportedRepo.writes,
      upload: () => Promise.all([facts.upload(), files.store(), commit?.body.upload()]),
      drafts: [
        {
          kind: momentKindOf(scopes[0]),
          changes: [...changes, ...reportedRepo.changes],
          ...(commit && { commit }),
          ...(reportedRepo.event && { repo: reportedRepo.event }),
          show: { type, ...(label !== null && { target: label }) },
          record: ({ at, number, flow, trail, entry }) => {
            const reported = {
              id,
              flow: flow.id,
              trail: trail.name,
              at,
              number,
              by: caller.name,
              ...identityOf(caller),
              name: body.attestation_name,
              type,
              compliant: judged.compliant,
              fingerprint: fingerprint ?? null,
              targets: [...(body.target_artifacts ?? [])],
              files: files.files,
              facts: facts.body,
              derived,
            };
            const seals = sealRecord(reported, facts.commitment);
            const record: AttestationRecord = { ...reported, ...seals };
            return {
              id,
              commitments: { record: seals.pledges.record, facts: facts.commitment },
              writes: [
                ...attestationWrites(org.id, record, entry, () => 'seen' as const),
                // The index of decisions of the control (rules/controls.md#index-of-decisions).
                ...(control === undefined ? [] : binding.writes(org.id, control, record, entry)),
                ...facts.writes,
              ],
            };
          },
        },
      ],
    };
  };
}

/** @throws Error if named artifacts come without a commit, which the schema refuses */
function targetScopes(body: CommonReport): readonly [Scope, ...Scope[]] {
  const found = scopesOf(body);
  if (found.outcome === 'needs_commit') throw new Error('an attestation of named artifacts passed without a commit');
  return found.scopes;
}

/**
 * Counts inline files and uploads together (rules/attestations.md#attachments).
 * @param report the document as it was sent
 * @throws ServiceError `invalid` if the attestation has too many files
 */
export function refuseTooManyFiles(parts: readonly FilePart[], report: unknown): void {
  const { attachments = [] } = isDictionary(report) ? report : {};
  const count = parts.length + (Array.isArray(attachments) ? attachments.length : 0);
  if (count > MOST_FILES) throw invalid({ attachment_file: `At most ${MOST_FILES} files [input: ${count}]` });
}

/**
 * Prepares the files of a report, and reads the SBOM among them.
 *
 * @throws ServiceError `invalid` if a file is refused, or if an SBOM does not have the digest that was stated
 */
async function readFiles(
  stores: Stores,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport & { attachments?: string[] | null | undefined },
  parts: readonly FilePart[],
): Promise<{ files: ReportedFiles; found: Record<string, unknown> }> {
  const inline = inlineFiles(stores, org, parts);
  const claimed = await claimedFiles(stores, org, (kind.takesFiles && body.attachments) || []);
  const files: ReportedFiles = {
    get files() {
      return [...inline.files, ...claimed.files];
    },
    read: async (sha256) => (await inline.read(sha256)) ?? claimed.read(sha256),
    store: async () => void (await Promise.all([inline.store(), claimed.store()])),
  };
  // An SBOM inside a bundle has the same type, and its facts are those of its signature. The schema has parsed the body.
  const found = kind.schema === SbomReport ? { sbom: await readSbomFacts(body as SbomReport, files) } : {};
  return { files, found };
}
