import { invalid } from '#shared/base/errors.ts';
import { type AttestationId, type Id, newId } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import { claimedFiles, inlineFiles, type ReportedFiles } from '#shared/evidence/files.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { type AttestationRecord, attestationWrites } from '#shared/evidence/records/attestation-records.ts';
import {
  commitNamed,
  type ReportAnswer,
  type Reporter,
  report,
  startedOnce,
  startRepo,
} from '#shared/evidence/reporting.ts';
import type { AttestationKind, CommonReport } from '#shared/evidence/rules/attestation-kinds.ts';
import { isAttestable, momentKindOf, scopesOf, targetLabel } from '#shared/evidence/rules/scope.ts';
import { artifactNotInTrail } from '#shared/evidence/rules/sentences.ts';
import { EMPTY_TRAIL, type Scope, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { FilePart, Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { Write } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { factsText } from './attestation-facts.ts';
import { type DecisionBinding, judge, slotsFilled } from './judge-attestation.ts';
import { COMMIT_USES } from './records/uses.ts';

/** Files of one attestation, inside the request or uploaded before (semantics §15). */
const MOST_FILES = 20;

/** What recording an attestation does to stored things. */
export const ATTEST_USES: Uses = usesTogether([
  COMMIT_USES,
  { writes: ['ATTESTATION', 'DECISION'], bucket: ['uploads:read', 'evidence:write'] },
]);

/** An attestation as it is reported. */
export interface ReportedAttestation {
  kind: AttestationKind;
  body: CommonReport;
  /** The JSON text that `body` was parsed from. */
  bodyText: string;
  files: readonly FilePart[];
  /** Minted here unless given: whoever records under an id of its own records once, however often it tries. */
  id?: AttestationId;
}

/**
 * Records an attestation in a trail. Creates the flow and the trail where they are missing.
 * @param binding ties a decision to the control that it names
 * @throws ApiError what the endpoints that attest declare
 */
export async function recordAttestation(
  services: Services,
  reporter: Reporter,
  target: { flow: string; trail: string },
  { kind, body, bodyText, files: parts, id = newId(services.clock.now()) }: ReportedAttestation,
  binding: DecisionBinding,
): Promise<ReportAnswer> {
  const { org, caller } = reporter;
  const scopes = targetScopes(body);
  const repo = startRepo(services, org, body.repo_info);
  // What needs no id of flow or trail is read beside them; the verdict is found once, whoever else writes meanwhile.
  const apart = startedOnce(() =>
    allInOrder([
      judge(services, org, kind, body, bodyText, binding),
      reportedFiles(services, org, kind, body, parts),
      knownToOrganization(services, org, kind, body),
    ]),
  );
  const type = kind.recordType(body);
  const facts = prepareBody(services.objects, org.id, factsText(kind, body, bodyText), `attestation:${id}`);
  const commit = commitNamed(services, org, body.git_commit_info);

  return report(services, reporter, target, async (situation) => {
    const state = situation.trail?.state ?? EMPTY_TRAIL;
    const [judged, files, known] = await apart();
    if (!scopes.every((scope) => isAttestable(scope, state, known))) {
      throw artifactNotInTrail({ ...target, org: org.name, fingerprint: body.artifact_fingerprint ?? '' });
    }
    const named = await repo(situation.trail?.state);
    const slots = await slotsFilled(services, org, kind, body, situation, scopes);
    const changes = scopes.map((scope, i): SlotChange => {
      const { type: slotType = type, overridden = null } = slots[i] ?? {};
      return {
        ...{ kind: 'attestation', scope, name: body.attestation_name, type: slotType, id },
        ...{ compliant: judged.compliant, overridden },
      };
    });
    const label = targetLabel(body, state);
    return {
      answer: { status: 201, body: 'OK' },
      writes: named.writes,
      upload: () => Promise.all([facts.upload(), files.keep(), commit?.body.upload()]),
      drafts: [
        {
          kind: momentKindOf(scopes[0]),
          changes: [...changes, ...named.changes],
          ...(commit && { commit }),
          ...(named.event && { repo: named.event }),
          record: { id, pledge: facts.commitment },
          show: { type, ...(label !== null && { target: label }) },
          writes: ({ at, number, flow, trail, entry }) => {
            const record: AttestationRecord = {
              ...{ id, flow: flow.id, trail: trail.name, at, number, by: caller.name },
              ...{ name: body.attestation_name, type, compliant: judged.compliant },
              fingerprint: body.artifact_fingerprint ?? null,
              targets: [...(body.target_artifacts ?? [])],
              files: files.files,
              facts: facts.body,
              derived: { ...judged.derived, ...slots[0]?.derived },
            };
            return [
              ...attestationWrites(org.id, record, entry, () => 'seen' as const),
              ...decisionWrites(binding, org, kind, body, record, entry),
              ...facts.writes,
            ];
          },
        },
      ],
    };
  });
}

function targetScopes(body: CommonReport): readonly [Scope, ...Scope[]] {
  const found = scopesOf(body);
  if (found.outcome === 'needs_commit') throw invalid({ [found.field]: found.text });
  return found.scopes;
}

/** Files inside the request and files uploaded before it count together (semantics §15). */
async function reportedFiles(
  services: Services,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  parts: readonly FilePart[],
): Promise<ReportedFiles> {
  const ids = kind.takesFiles ? ((body as CommonReport & { attachments?: string[] | null }).attachments ?? []) : [];
  if (parts.length + ids.length > MOST_FILES) {
    throw invalid({ attachment_file: `At most ${MOST_FILES} files [input: ${parts.length + ids.length}]` });
  }
  const inline = inlineFiles(services, org, parts);
  const claimed = await claimedFiles(services, org, ids);
  return {
    get files() {
      return [...inline.files, ...claimed.files];
    },
    keep: async () => void (await Promise.all([inline.keep(), claimed.keep()])),
  };
}

/** Whether the organization knows the fingerprint: asked only for kinds to which that is enough (semantics §7.2). */
async function knownToOrganization(
  services: Services,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
): Promise<boolean> {
  const fingerprint = body.artifact_fingerprint;
  if (fingerprint == null || !kind.takesAnyFingerprint(body)) return false;
  return (await readBuild(services.table, org.id, fingerprint)) !== null;
}

/** A decision is also found by its control, for policies that ask for one (semantics §7.3). */
function decisionWrites(
  binding: DecisionBinding,
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  record: AttestationRecord,
  entry: Id,
): Write[] {
  if (!kind.segments.includes('system')) return [];
  const { control } = body as CommonReport & { control: string };
  return binding.writes(org.id, control, record, entry);
}
