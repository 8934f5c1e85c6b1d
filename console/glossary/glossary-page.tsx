import { GLOSSARY } from '#shared/console/glossary.ts';
import { PageLink } from '../parts/link/link.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import type { PageProps } from '../routes/route.ts';
import type { glossaryRoute } from './routes.ts';

/** The words of the pages, so that nobody needs the documents of the service to read them. */
export default function GlossaryPage({ search: { word = '' } }: PageProps<typeof glossaryRoute>) {
  const entry = Object.hasOwn(GLOSSARY, word) ? GLOSSARY[word] : undefined;
  return (
    <>
      {entry ? (
        <VerdictLine
          kind="Glossary"
          subject={word}
          sentence={entry[0]}
          facts={[
            <PageLink key="all" page="glossary" params={{}}>
              All words
            </PageLink>,
          ]}
        />
      ) : (
        <VerdictLine subject="Glossary" sentence="What the words of these pages mean." />
      )}
      <Panel title="Words">
        <KeyValues rows={Object.entries(GLOSSARY).map(([one, [meaning]]) => [one, meaning])} />
      </Panel>
    </>
  );
}
