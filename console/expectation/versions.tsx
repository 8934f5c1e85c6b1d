import { useAnswer } from '../client/live.ts';
import { paginationOf } from '../model/pages.ts';
import { Pager } from '../parts/table/pager.tsx';
import { VersionTable } from '../parts/table/version-table.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { VERSION_FIELDS } from './model/versions.ts';
import { readVersions } from './routes.ts';

/** The versions of an expectation: who changed what. */
export function Versions({ params, page }: { params: ParamsOf<'expectation'>; page: number | undefined }) {
  const answer = useAnswer(readVersions(params, page));
  return (
    <>
      <VersionTable caption="Versions of the expectation" versions={answer.versions} fields={VERSION_FIELDS} />
      <Pager pagination={paginationOf(answer)} page="expectation" params={params} />
    </>
  );
}
