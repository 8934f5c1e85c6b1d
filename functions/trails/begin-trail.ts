import * as z from 'zod';
import { FlowName } from '#shared/evidence/shared-fields.ts';
import { parseTemplate, TemplateError } from '#shared/evidence/template.ts';
import {
  changedFields,
  NO_TRAIL_FIELDS,
  type TrailFields,
  TrailReport,
  updatedFields,
} from '#shared/evidence/trail-report.ts';
import { endpoint, type FilePart } from '#shared/http/endpoint.ts';
import { invalid } from '#shared/http/errors.ts';
import { cutMembers } from '#shared/http/json-text.ts';
import { unknownFlow } from '#shared/http/sentences.ts';
import { commitNamed, report, startRepo } from '#shared/reports/reporting.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/store/bodies.ts';

/** A template file may have at most this many bytes (semantics §15). */
const TEMPLATE_LIMIT = 1024 * 1024;

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
    files: [{ part: 'template_file', limit: TEMPLATE_LIMIT, description: "The trail's own template, YAML" }],
  },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [unknownFlow],
  handler: async ({ params, body, bodyText, files, ...reporter }, services) => {
    const { org } = reporter;
    const templateText = readTemplate(files);
    const userData = cutMembers(bodyText, ['user_data'])['user_data'];
    const repo = startRepo(services, org, body.repo_info);
    const commit = commitNamed(services, org, body.git_commit_info);

    return report(
      services,
      reporter,
      { flow: params.flow, trail: body.name },
      async ({ trail, fields }) => {
        const before = fields ? (JSON.parse(fields.text) as TrailFields) : NO_TRAIL_FIELDS;
        const after = updatedFields(before, body, userData);
        const own = trail?.state.ownTemplate ?? null;
        const repos = trail?.state.repos ?? [];
        const named = await repo(trail?.state);
        const changes = changedFields(
          { ...before, repo_info: repos, template: own },
          {
            ...after,
            repo_info: named.changes.length > 0 && named.repo ? [...repos, named.repo.id] : repos,
            template: templateText === undefined ? own : sha256Hex(templateText),
          },
        );
        const answer = { status: trail ? 200 : 201, body: 'OK' as const };
        if (trail && changes.length === 0) return { drafts: [], answer };

        const text = JSON.stringify(after);
        const changed = text !== JSON.stringify(before);
        const facts = changed ? prepareBody(services.objects, org.id, text, `trail:${body.name}`) : undefined;
        const template =
          templateText === undefined
            ? undefined
            : prepareSharedBody(services.objects, org.id, templateText, `trail:${params.flow}:${body.name}`);
        return {
          answer,
          drafts: [
            {
              kind: trail ? 'trail_updated' : 'trail_reported',
              changes: named.changes,
              ...(template && { ownTemplate: template.digest }),
              ...(facts && {
                fields: { digest: sha256Hex(text), body: facts, replaced: fields?.replaced ?? null },
              }),
              ...(commit && { commit }),
              ...(named.event && { repo: named.event }),
              ...(trail && { show: { changes } }),
            },
          ],
          writes: [...named.writes, ...(template?.writes ?? [])],
          upload: () => Promise.all([facts?.upload(), template?.upload(), commit?.body.upload()]),
        };
      },
      { fields: true },
    );
  },
});

function readTemplate(files: readonly FilePart[]): string | undefined {
  const file = files.find(({ part }) => part === 'template_file');
  if (!file) return undefined;
  const text = file.bytes.toString('utf8');
  try {
    parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) throw invalid({ template_file: error.message }, error);
    throw error;
  }
  return text;
}
