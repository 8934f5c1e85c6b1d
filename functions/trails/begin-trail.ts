import * as z from 'zod';
import { cutMembers } from '#shared/base/json-text.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { COMMIT_USES } from '#shared/evidence/records/uses.ts';
import { report, reportedCommit, startRepo } from '#shared/evidence/reporting.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { changedFields, TrailReport, updatedFields } from '#shared/evidence/rules/trail-report.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/template-file.ts';
import { fieldsFrom } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** PUT /trails/{org}/{flow}: begins a trail, or updates it (wire flows §4 T1). */
export const beginTrail = endpoint({
  operation: 'beginTrail',
  method: 'PUT',
  path: '/trails/{org}/{flow}',
  summary: 'Begin a trail, or update it',
  description:
    'Creates the flow with an empty template where there is none. A field that is absent stays as it was; an update that changes nothing makes no event.',
  access: 'member',
  params: z.object({ org: z.string(), flow: FlowName }),
  query: z.object({}),
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: TrailReport,
    files: [TEMPLATE_FILE],
  },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [unknownFlow],
  uses: COMMIT_USES,
  handler: async ({ params, body, bodyText, files, ...reporter }, services) => {
    const { org } = reporter;
    const given = readTemplateFile(files);
    const userData = cutMembers(bodyText, ['user_data'])['user_data'];
    const repo = startRepo(services, org, body.repo_info);
    const commit = reportedCommit(services, org, body.git_commit_info);

    return report(
      services,
      reporter,
      { flow: params.flow, trail: body.name },
      async ({ trail, fields }) => {
        const before = fieldsFrom(fields?.text);
        const after = updatedFields(before, body, userData);
        const own = trail?.state.ownTemplate ?? null;
        const repos = trail?.state.repos ?? [];
        const named = await repo(trail?.state);
        const changes = changedFields(
          { ...before, repo_info: repos, template: own },
          {
            ...after,
            repo_info: named.changes.length > 0 && named.repo ? [...repos, named.repo.id] : repos,
            template: given ? sha256Hex(given.text) : own,
          },
        );
        const answer = { status: trail ? 200 : 201, body: 'OK' as const };
        if (trail && changes.length === 0) return { drafts: [], writes: named.writes, answer };

        const text = JSON.stringify(after);
        const changed = text !== JSON.stringify(before);
        const facts = changed ? prepareBody(services.objects, org.id, text, `trail:${body.name}`) : undefined;
        const kept =
          given && prepareSharedBody(services.objects, org.id, given.text, `trail:${params.flow}:${body.name}`);
        return {
          answer,
          drafts: [
            {
              kind: trail ? 'trail_updated' : 'trail_reported',
              changes: named.changes,
              ...(given && kept && { ownTemplate: { digest: kept.digest, template: given.template } }),
              ...(facts && {
                fields: { digest: sha256Hex(text), body: facts, replaced: fields?.replaced ?? null },
              }),
              ...(commit && { commit }),
              ...(named.event && { repo: named.event }),
              ...(trail && { show: { changes } }),
            },
          ],
          writes: [...named.writes, ...(kept?.writes ?? [])],
          upload: () => Promise.all([facts?.upload(), kept?.upload(), commit?.body.upload()]),
        };
      },
      { fields: true },
    );
  },
});
