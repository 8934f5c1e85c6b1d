import type { FlowName } from '#shared/base/names.ts';
import { prepareBody, prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { COMMIT_USES } from '../records/trail-commit.ts';
import { type Reported, report, reportedCommit, startFirstRead, startRepo } from '../reporting.ts';
import type { ReadTemplate } from '../rules/template-file.ts';
import { changedFields, fieldsFrom, type TrailReport, updatedFields } from '../rules/trail-report.ts';

/** What beginning or updating a trail reads and writes. */
export const BEGIN_TRAIL: Uses = COMMIT_USES;

/** A trail as it is reported. Fields that are left out stay unchanged. */
interface GivenTrail {
  report: TrailReport;
  /** JSON text of `user_data` as it was sent. */
  userData: string | undefined;
  template: ReadTemplate | undefined;
}

/** The trail that a report began or updated. */
export interface BegunTrail {
  isNew: boolean;
}

/**
 * Begins or updates a trail (rules/trails.md#begin-or-update). Creates the flow if there is none. An update that changes
 * nothing adds no moment.
 *
 * @throws ServiceError `not-found` if the flow is archived
 */
export async function beginTrail(
  stores: Stores,
  by: Author<Reported<BegunTrail>>,
  flow: FlowName,
  { report: given, userData, template }: GivenTrail,
): Promise<Reported<BegunTrail>> {
  const { table, objects } = stores;
  const { org } = by;
  const decideRepo = startRepo(stores, org, given.repo_info);
  const target = { flow, trail: given.name };
  const user = `trail:${target.flow}:${target.trail}`;
  const commit = reportedCommit(stores, org, target, given.git_commit_info);
  const storedTemplate =
    template && startFirstRead(() => prepareSharedBody(table, objects, org.id, template.text, user));

  return report(
    stores,
    by,
    target,
    async ({ trail, fields }) => {
      const before = fieldsFrom(fields?.text);
      const after = updatedFields(before, given, userData);
      const own = trail?.state.ownTemplate ?? null;
      const repos = trail?.state.repos ?? [];
      const repo = await decideRepo(trail?.state);
      const changes = changedFields(
        { ...before, repo_info: repos, template: own },
        {
          ...after,
          repo_info: repo.changes.length > 0 && repo.repo ? [...repos, repo.repo.id] : repos,
          template: template ? sha256Hex(template.text) : own,
        },
      );
      const made = { isNew: !trail };
      if (trail && changes.length === 0) return { drafts: [], writes: repo.writes, made };

      const text = JSON.stringify(after);
      const isChanged = text !== JSON.stringify(before);
      const facts = isChanged ? prepareBody(objects, org.id, text, user) : undefined;
      const stored = await storedTemplate?.();
      return {
        made,
        drafts: [
          {
            kind: trail ? 'trail_updated' : 'trail_reported',
            changes: repo.changes,
            ...(template && stored && { ownTemplate: { digest: stored.digest, template: template.template } }),
            ...(facts && {
              fields: { digest: sha256Hex(text), body: facts, replaced: fields?.replaced ?? null },
            }),
            ...(commit && { commit }),
            ...(repo.event && { repo: repo.event }),
            ...(trail && { show: { changes } }),
          },
        ],
        writes: [...repo.writes, ...(stored?.writes ?? [])],
        upload: () => Promise.all([facts?.upload(), stored?.upload(), commit?.body.upload()]),
      };
    },
    { fields: true },
  );
}
