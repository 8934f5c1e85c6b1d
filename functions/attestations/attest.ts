import * as z from 'zod';
import { ATTESTATION_KINDS, type AttestationKind, type CommonReport } from '#shared/evidence/attestation-kinds.ts';
import { isAttestable, momentKindOf, scopesOf, targetLabel } from '#shared/evidence/scope.ts';
import { FlowName, TrailName } from '#shared/evidence/shared-fields.ts';
import { EMPTY_TRAIL, type Scope, type SlotChange } from '#shared/evidence/trail-state.ts';
import { type Endpoint, endpoint, type FilePart, type FileRule, type Organization } from '#shared/http/endpoint.ts';
import { invalid } from '#shared/http/errors.ts';
import {
  archivedType,
  artifactNotInTrail,
  attachmentTooLarge,
  inlineFileTooLarge,
  unknownFlow,
  unknownType,
} from '#shared/http/sentences.ts';
import { type Id, newId } from '#shared/ids.ts';
import { claimedFiles, inlineFiles, type ReportedFiles } from '#shared/reports/files.ts';
import { commitNamed, report, startedOnce, startRepo } from '#shared/reports/reporting.ts';
import type { Services } from '#shared/services.ts';
import { readBuild } from '#shared/store/artifact-records.ts';
import { type AttestationRecord, attestationWrites } from '#shared/store/attestation-records.ts';
import { prepareBody } from '#shared/store/bodies.ts';
import { decisionPartition } from '#shared/store/keys.ts';
import type { Write } from '#shared/store/table.ts';
import { COMMIT_USES, usesTogether } from '#shared/store/uses.ts';
import { factsText } from './facts.ts';
import { judge, slotsFilled } from './judge.ts';

/** The rows of the API document that attest. */
const ROWS: Record<string, number> = { issue_tracker: 7, custom: 8, generic: 9 };

const FILES: FileRule[] = [
  {
    part: /^attachment_file(\.\d+)?$/,
    limit: 4 * 1024 * 1024,
    tooLarge: inlineFileTooLarge,
    description: 'An attachment; above 4 MB upload it first and name it in `attachments`',
  },
];

/** Files of one attestation, inside the request or uploaded before (semantics §15). */
const MOST_FILES = 20;

/** One endpoint per path segment of every kind (wire flows §6.2): adding a kind adds its endpoints. */
export const attestEndpoints: Endpoint[] = Object.values(ATTESTATION_KINDS).flatMap((kind) =>
  kind.segments.map((segment) => attest(kind as AttestationKind, segment)),
);

/** POST /attestations/{org}/{flow_name}/trail/{trail_name}/{kind}: rows 7 to 9 of the API document and their kin. */
function attest(kind: AttestationKind, segment: string): Endpoint {
  const row = ROWS[segment];
  return endpoint({
    operation: `attest${segment.split('_').map(capital).join('')}`,
    method: 'POST',
    path: `/attestations/{org}/{flow_name}/trail/{trail_name}/${segment}`,
    summary: `Report a ${segment.replace('_', ' ')} attestation`,
    description:
      'Creates flow and trail where they are missing. Bound to an artifact by `artifact_fingerprint`, or by `target_artifacts` and the commit, else to the trail. Only the latest report of a name and type counts.',
    access: 'member',
    ...(segment === 'system' && { feature: 'controls' as const }),
    ...(row !== undefined && { row }),
    params: z.object({ org: z.string(), flow_name: FlowName, trail_name: TrailName }),
    query: z.object({}),
    body: kind.takesFiles
      ? { kind: 'multipart', part: 'data_json', schema: kind.schema, files: FILES, plainJson: true }
      : { kind: 'json', schema: kind.schema },
    success: { 201: z.literal('OK') },
    errors: [
      artifactNotInTrail,
      unknownFlow,
      inlineFileTooLarge,
      attachmentTooLarge,
      ...(segment === 'custom' ? [unknownType, archivedType] : []),
    ],
    uses: usesTogether([
      COMMIT_USES,
      { writes: ['ATTESTATION', 'DECISION'], bucket: ['uploads:read', 'evidence:write'] },
    ]),
    handler: async ({ params, body: data, bodyText, files: parts, ...reporter }, services) => {
      const body = data as CommonReport;
      const { org, caller } = reporter;
      const target = { flow: params.flow_name, trail: params.trail_name };
      const scopes = targetScopes(body);
      const repo = startRepo(services, org, body.repo_info);
      // What needs no id of flow or trail is read beside them; the verdict is found once, whoever else writes meanwhile.
      const apart = startedOnce(() =>
        Promise.all([
          judge(services, org, kind, body, bodyText),
          reportedFiles(services, org, kind, body, parts),
          knownToOrganization(services, org, kind, body),
        ]),
      );
      const id = newId(services.clock.now());
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
                  ...decisionWrites(org, kind, body, record, entry),
                  ...facts.writes,
                ];
              },
            },
          ],
        };
      });
    },
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
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
  org: Organization,
  kind: AttestationKind,
  body: CommonReport,
  record: AttestationRecord,
  entry: Id,
): Write[] {
  if (!kind.segments.includes('system')) return [];
  const { control } = body as CommonReport & { control: string };
  const { id, flow, trail, name, compliant, fingerprint } = record;
  const about = fingerprint === null ? { flow, trail } : { fingerprint };
  return [{ put: { pk: decisionPartition(org.id, control, about), sk: entry, v: 1, r: id, n: name, c: compliant } }];
}
