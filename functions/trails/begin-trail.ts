import * as z from 'zod';
import { cutMembers } from '#shared/base/json-text.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { COMMIT_USES } from '#shared/evidence/records/uses.ts';
import { report, reportedCommit, startFirstRead, startRepo } from '#shared/evidence/reporting.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { changedFields, TrailReport, updatedFields } from '#shared/evidence/rules/trail-report.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/template-file.ts';
import { fieldsFrom } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';

/** PUT /trails/{org}/{flow}: begins or updates a trail (rules/trails.md#begin-or-update). */
export const beginTrail = endpoint({
  operation: 'beginTrail',
  method: 'PUT',
  path: '/trails/{org}/{flow}',
  summary: 'Begin a trail, or update it',
  description:
    'Creates the flow with an empty template if there is none. Absent fields leave the trail unchanged. An update that changes nothing makes no event.',
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
  makes: { at: '/trails/{org}/{flow}/{trail}', id: 'trail' },
  appends: '/receipts/{org}/trails/{flow}/{trail}/{number}',
  errors: [unknownFlow],
  checks: [({ files }) => readTemplateFile(files)],
  uses: COMMIT_USES,
  handler: async ({ params, body, bodyText, files, ...reporter }, services) => {
    const { org } = reporter;
    const given = readTemplateFile(files);
    const userData = cutMembers(bodyText, ['user_data'])['user_data'];
    const decideRepo = startRepo(services, org, body.repo_info);
    const target = { flow: params.flow, trail: body.name };
    const user = `trail:${target.flow}:${target.trail}`;
    const commit = reportedCommit(services, org, target, body.git_commit_info);
    const storedTemplate =
      given && startFirstRead(() => prepareSharedBody(services.table, services.objects, org.id, given.text, user));

    return report(
      services,
      reporter,
      target,
      async ({ trail, fields }) => {
        const before = fieldsFrom(fields?.text);
        const after = updatedFields(before, body, userData);
        const own = trail?.state.ownTemplate ?? null;
        const repos = trail?.state.repos ?? [];
        const repo = await decideRepo(trail?.state);
        const changes = changedFields(
          { ...before, repo_info: repos, template: own },
          {
            ...after,
            repo_info: repo.changes.length > 0 && repo.repo ? [...repos, repo.repo.id] : repos,
            template: given ? sha256Hex(given.text) : own,
          },
        );
        const answer = ok(trail ? 200 : 201, { trail: body.name });
        if (trail && changes.length === 0) return { drafts: [], writes: repo.writes, answer };

        const text = JSON.stringify(after);
        const isChanged = text !== JSON.stringify(before);
        const facts = isChanged ? prepareBody(services.objects, org.id, text, user) : undefined;
        const template = await storedTemplate?.();
        return {
          answer,
          drafts: [
            {
              kind: trail ? 'trail_updated' : 'trail_reported',
              changes: repo.changes,
              ...(given && template && { ownTemplate: { digest: template.digest, template: given.template } }),
              ...(facts && {
                fields: { digest: sha256Hex(text), body: facts, replaced: fields?.replaced ?? null },
              }),
              ...(commit && { commit }),
              ...(repo.event && { repo: repo.event }),
              ...(trail && { show: { changes } }),
            },
          ],
          writes: [...repo.writes, ...(template?.writes ?? [])],
          upload: () => Promise.all([facts?.upload(), template?.upload(), commit?.body.upload()]),
        };
      },
      { fields: true },
    );
  },
});
