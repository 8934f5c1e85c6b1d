import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import type { PageProps } from '../routes/route.ts';
import { AskForm } from './ask-form.tsx';
import { BuildsAnswer } from './builds.tsx';
import { ExposureAnswer } from './exposure.tsx';
import { PackagesAnswer } from './packages.tsx';
import type { componentsRoute } from './routes.ts';

type Props = PageProps<typeof componentsRoute>;

/** The question about a component: which package is meant, which builds hold it, and where they run. */
export default function ComponentsPage({ params, search }: Props) {
  const { org } = params;
  const { q, purl, versions, at, tab } = search;
  const key = JSON.stringify(search);
  if (purl !== undefined) {
    const Answer = tab === 'builds' ? BuildsAnswer : ExposureAnswer;
    return <Answer key={key} org={org} question={{ purl, versions, at }} />;
  }
  if (q !== undefined) return <PackagesAnswer key={key} org={org} search={search} name={q} />;
  return (
    <>
      <VerdictLine
        subject="Components"
        context={org}
        sentence="Ask which builds hold a component, where they run, and since when."
      />
      <AskForm org={org} search={search} />
      <Empty
        sentence="The service reads the components of each SBOM that is reported, and finds packages by the beginning of their names."
        remedy={
          <>
            Artifacts that run without a readable SBOM are part of every answer: nobody knows what they hold.{' '}
            <PageLink page="watches" params={{ org }}>
              Watches
            </PageLink>{' '}
            ask again by themselves.{' '}
            <PageLink page="attestations" params={{ org }} search={{ type: 'sbom' }}>
              SBOMs that were reported
            </PageLink>
          </>
        }
      />
    </>
  );
}
