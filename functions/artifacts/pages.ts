import type { ArtifactsPage } from '#shared/environments/artifacts/list-artifacts.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { artifactOut } from './artifact-output.ts';

/** Answers a page of artifacts. */
export const artifactsAnswer = (
  request: Pick<Request, 'org' | 'host' | 'path' | 'rawQuery'>,
  { page, per_page: perPage }: { page: number; per_page: number },
  { total, artifacts }: ArtifactsPage,
) =>
  pageAnswer(
    request,
    { page, perPage, total },
    artifacts.map((one) => artifactOut(one, request)),
  );
