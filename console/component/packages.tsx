import { askedForPackage } from '../model/component-question.ts';
import { count } from '../model/words.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { LongTable } from '../parts/table/long-table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { Answer, Progress } from './answer.tsx';
import { AskForm } from './ask-form.tsx';
import { type Package, packagesOf } from './operations.ts';
import { type componentsRoute, readPackages } from './routes.ts';
import { usePages } from './use-pages.ts';

interface PackagesProps {
  org: string;
  search: PageProps<typeof componentsRoute>['search'];
  name: string;
}

/** Packages by the beginning of their names. Each leads to the question about it. */
export function PackagesAnswer({ org, search, name }: PackagesProps) {
  const answer = usePages((cursor) => readPackages(org, name, cursor));
  return (
    <Answer org={org} search={search} subject={name} answer={answer}>
      {(pages) => {
        const packages = pages.flatMap(packagesOf);
        return (
          <>
            <VerdictLine
              kind="Component"
              subject={name}
              context={org}
              sentence={
                packages.length === 0
                  ? 'No component of an SBOM has a name that begins so.'
                  : `${count(packages.length, 'package')} ${packages.length === 1 ? 'has a name that begins' : 'have names that begin'} so.${answer.isComplete ? '' : ' There are more.'}`
              }
            />
            <AskForm org={org} search={search} />
            {packages.length === 0 ? (
              <Empty
                sentence="Names are compared from their beginning, without the namespace in front; case does not count."
                remedy="A package URL asks for the package itself: pkg:npm/%40angular/core."
              />
            ) : (
              <PackageTable org={org} search={search} packages={packages} />
            )}
            <Progress answer={answer} what="packages" />
            <Raw value={pages[0]} path={`/components/${org}?name=${encodeURIComponent(name)}`} />
          </>
        );
      }}
    </Answer>
  );
}

interface PackageTableProps extends Pick<PackagesProps, 'org' | 'search'> {
  packages: readonly Package[];
}

const PackageTable = ({ org, search, packages }: PackageTableProps) => (
  <LongTable
    caption="Packages"
    rows={packages}
    keyOf={({ package: purl, name }) => purl ?? `\n${name}`}
    columns={[
      {
        head: 'Package',
        width: '60%',
        cell: (found) => (
          <PageLink page="components" params={{ org }} search={{ ...askedForPackage(found, search) }} strong row>
            <Text>{found.package ?? found.name}</Text>
          </PageLink>
        ),
      },
      {
        head: 'Name',
        width: '40%',
        cell: ({ package: purl, name }) => (
          <>
            <Text>{name}</Text>
            {purl === null && ', without a package URL'}
          </>
        ),
      },
    ]}
  />
);
