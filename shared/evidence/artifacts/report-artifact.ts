import { type Id, newId } from '#shared/base/ids.ts';
import { RawJson, stringify } from '#shared/base/json-text.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { again } from '#shared/base/retry.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { type ArtifactRecord, artifactWrites, readBuild } from '../records/artifact-records.ts';
import { sealRecord } from '../records/sealed-records.ts';
import { derivedTemplateText, isDerivedTemplate, loadTemplate } from '../records/templates.ts';
import { COMMIT_USES } from '../records/trail-commit.ts';
import {
  identityOf,
  type Refusal,
  type Reported,
  report,
  reportedCommit,
  startFirstRead,
  startRepo,
} from '../reporting.ts';
import {
  type ArtifactReport,
  artifactPlace,
  legacyRequirements,
  templateReferenceName,
  withLegacyRequirements,
} from '../rules/artifact-report.ts';
import { isReportedIn } from '../rules/scope.ts';
import { commitOf, linksOf } from '../rules/shared-fields.ts';
import type { Template } from '../rules/template.ts';
import { EMPTY_TRAIL } from '../rules/trail-state.ts';

/** What reporting an artifact reads and writes. */
export const REPORT_ARTIFACT: Uses = usesTogether([COMMIT_USES, { writes: ['ARTIFACT', 'FINGERPRINT', 'SHA'] }]);

/** The record that a report made, and the name of its trail. */
export interface ReportedArtifact {
  id: Id;
  trail: TrailName;
}

/**
 * Reports an artifact into a trail (rules/artifacts.md#report). Creates the flow and the trail if they do not exist.
 *
 * @param userData JSON text of `user_data` as it was sent
 * @throws ServiceError `not-found` if the flow is archived
 */
export async function reportArtifact(
  stores: Stores,
  by: Author<Reported<ReportedArtifact>>,
  flow: FlowName,
  body: ArtifactReport,
  userData: string | undefined,
): Promise<Reported<ReportedArtifact>> {
  const { table, objects, clock } = stores;
  const { org } = by;
  const place = artifactPlace(body);
  const { fingerprint } = body;
  const target = { flow, trail: place.trail };
  const decideRepo = startRepo(stores, org, body.repo_info);
  const build = startFirstRead(() => readBuild(table, org.id, fingerprint));
  const commit = reportedCommit(stores, org, target, body.git_commit_info);
  const id = newId(clock.now());
  const facts = prepareBody(objects, org.id, factsText(body, place.filename, userData), `artifact:${id}`);

  return report(stores, by, target, async (situation) => {
    const state = situation.trail?.state ?? EMPTY_TRAIL;
    const digest = state.ownTemplate ?? situation.flow?.template ?? null;
    const template = await loadTemplate(table, objects, org.id, digest);
    const name = templateReferenceName(body, template);
    const legacy = situation.flow?.template ? undefined : await legacyTemplateOf(state.ownTemplate, template, name);
    const repo = await decideRepo(situation.trail?.state);
    const inOrganization = (await build()) === null;
    return {
      made: { id, trail: place.trail },
      writes: [...repo.writes, ...(legacy?.writes ?? [])],
      upload: () => Promise.all([facts.upload(), commit?.body.upload(), legacy?.upload()]),
      drafts: [
        {
          kind: 'artifact_creation_reported',
          changes: [
            { kind: 'artifact', fingerprint, name, commit: place.commit, id, compliant: place.compliant },
            ...repo.changes,
          ],
          ...(legacy && { ownTemplate: { digest: legacy.digest, template: legacy.template } }),
          ...(commit && { commit }),
          ...(repo.event && { repo: repo.event }),
          show: { filename: place.filename },
          record: ({ at, number, flow: { id: flowId }, trail, entry }) => {
            const reported = {
              id,
              flow: flowId,
              trail: trail.name,
              fingerprint,
              name,
              commit: place.commit,
              at,
              number,
              by: by.caller.name,
              ...identityOf(by.caller),
              repo: repo.repo?.id ?? null,
              facts: facts.body,
            };
            const first = { inOrganization, inTrail: !isReportedIn(state, fingerprint) };
            const seals = sealRecord(reported, facts.commitment);
            const record: ArtifactRecord = { ...reported, ...seals };
            return {
              id,
              commitments: { record: seals.pledges.record, facts: facts.commitment },
              writes: [...artifactWrites<Refusal>(org.id, record, entry, first, { seen, again }), ...facts.writes],
            };
          },
        },
      ],
    };
  });

  /**
   * The template that the report's legacy field makes for the trail (rules/artifacts.md#legacy-requirements).
   * @returns undefined if the report has no such field, if a caller uploaded the trail's template, or if the template
   *   stays the same
   */
  async function legacyTemplateOf(own: string | null, before: Template, name: string) {
    const names = legacyRequirements(body);
    if (names.length === 0 || (own !== null && !(await isDerivedTemplate(table, objects, org.id, own))))
      return undefined;
    const after = withLegacyRequirements(before, name, names);
    const text = derivedTemplateText(after);
    if (sha256Hex(text) === own) return undefined;
    const user = `trail:${flow}:${place.trail}`;
    return { ...(await prepareSharedBody(table, objects, org.id, text, user)), template: after };
  }
}

const seen = () => 'seen' as const;

/**
 * The facts of a report as one JSON text. `user_data` is the text that was sent, so that large numbers keep their
 * digits.
 */
function factsText(body: ArtifactReport, filename: string, userData = '{}'): string {
  return stringify({
    filename,
    build_url: body.build_url,
    commit_url: body.commit_url,
    repo_url: body.repo_url ?? '',
    description: body.description ?? null,
    annotations: body.annotations ?? null,
    external_urls: linksOf(body.external_urls),
    git_commit_info: commitOf(body.git_commit_info),
    commits_list: body.commits_list?.map(commitOf) ?? null,
    repo_info: body.repo_info ?? null,
    template: body.template ?? null,
    user_data: new RawJson(userData === 'null' ? '{}' : userData),
  });
}
