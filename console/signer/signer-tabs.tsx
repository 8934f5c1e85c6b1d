import { Tabs } from '../parts/page/tabs.tsx';

const TABS = [
  ['signers', 'Signers'],
  ['trust-roots', 'Trust roots'],
  ['recalls', 'Recalls'],
] as const;

/** The lists of what is trusted, and of what is not any more. */
export const SignerTabs = ({ org, current }: { org: string; current: (typeof TABS)[number][0] }) => (
  <Tabs
    label="What is trusted"
    tabs={TABS.map(([page, label]) => ({ label, page, params: { org }, isCurrent: page === current }))}
  />
);
