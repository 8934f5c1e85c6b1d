import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { cutMembers, RawJson, stringify } from '#shared/base/json-text.ts';
import { again } from '#shared/base/retry.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { type ArtifactRecord, artifactWrites, readBuild } from '#shared/evidence/records/artifact-records.ts';
import { sealRecord } from '#shared/evidence/records/sealed-records.ts';
import { derivedTemplateText, isDerivedTemplate, loadTemplate } from '#shared/evidence/records/templates.ts';
import { COMMIT_USES } from '#shared/evidence/records/uses.ts';
import {
  identityOf,
  type Refusal,
  report,
  reportedCommit,
  startFirstRead,
  startRepo,
} from '#shared/evidence/reporting.ts';
import {
  ArtifactReport,
  artifactPlace,
  legacyRequirements,
  templateReferenceName,
  withLegacyRequirements,
} from '#shared/evidence/rules/artifact-report.ts';
import { isReportedIn } from '#shared/evidence/rules/scope.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { commitOf, FlowName, linksOf } from '#shared/evidence/rules/shared-fields.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import { EMPTY_TRAIL } from '#shared/evidence/rules/trail-state.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';
import { usesTogether } from '#shared/table/uses.ts';

/** POST /artifacts/{org}/{flow_name}: reports an artifact into a trail (rules/artifacts.md#report). */
export const reportArtifact = endpoint({
  operation: 'reportArtifact',
  method: 'POST',
  path: '/artifacts/{org}/{flow_name}',
  summary: 'Report an artifact into a trail',
  description:
    'Creates the flow and the trail if they do not exist. Reporting a fingerprint again makes a new record; its attestations stay attached.',
  access: 'member',
  row: 5,
  params: z.object({ org: z.string(), flow_name: FlowName }),
  query: z.object({}),
  body: { kind: 'json', schema: ArtifactReport },
  success: { 201: z.literal('OK') },
  makes: { at: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}?trail={trail}', id: 'artifact_id' },
  appends: '/receipts/{org}/trails/{flow_name}/{trail}/{number}',
  errors: [unknownFlow],
  uses: usesTogether([COMMIT_USES, { writes: ['ARTIFACT', 'FINGERPRINT', 'SHA'] }]),
  handler: async ({ params, body, bodyText, ...reporter }, services) => {
    const { table, objects } = services;
    const { org, caller } = reporter;
    const place = artifactPlace(body);
    const { fingerprint } = body;
    const target = { flow: params.flow_name, trail: place.trail };
    const decideRepo = startRepo(services, org, body.repo_info);
    const build = startFirstRead(() => readBuild(table, org.id, fingerprint));
    const commit = reportedCommit(services, org, target, body.git_commit_info);
    const id = newId(services.clock.now());
    const facts = prepareBody(objects, org.id, factsText(body, place.filename, bodyText), `artifact:${id}`);

    return report(services, reporter, target, async (situation) => {
      const state = situation.trail?.state ?? EMPTY_TRAIL;
      const digest = state.ownTemplate ?? situation.flow?.template ?? null;
      const template = await loadTemplate(table, objects, org.id, digest);
      const name = templateReferenceName(body, template);
      const legacy = situation.flow?.template ? undefined : await legacyTemplateOf(state.ownTemplate, template, name);
      const repo = await decideRepo(situation.trail?.state);
      const inOrganization = (await build()) === null;
      return {
        answer: ok(201, { fingerprint, trail: place.trail, artifact_id: id }),
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
            record: ({ at, number, flow, trail, entry }) => {
              const reported = {
                id,
                flow: flow.id,
                trail: trail.name,
                fingerprint,
                name,
                commit: place.commit,
                at,
                number,
                by: caller.name,
                ...identityOf(caller),
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
      const user = `trail:${params.flow_name}:${place.trail}`;
      return { ...(await prepareSharedBody(table, objects, org.id, text, user)), template: after };
    }
  },
});

const seen = () => 'seen' as const;

/**
 * The facts of a report as one JSON text. `user_data` is the text that was sent, so that large numbers keep their
 * digits.
 */
function factsText(body: ArtifactReport, filename: string, bodyText: string): string {
  const { user_data: userData = '{}' } = cutMembers(bodyText, ['user_data']);
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
