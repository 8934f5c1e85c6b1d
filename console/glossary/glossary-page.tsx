import { GLOSSARY } from '#shared/console/glossary.ts';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';

/** The words of the pages, so that nobody needs the documents of the service to read them. */
export default function GlossaryPage() {
  return (
    <>
      <VerdictLine subject="Glossary" sentence="What the words of these pages mean." />
      <Panel title="Words">
        <KeyValues rows={Object.entries(GLOSSARY).map(([word, [meaning]]) => [word, meaning])} />
      </Panel>
    </>
  );
}
