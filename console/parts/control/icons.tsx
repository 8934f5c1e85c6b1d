/** The outlines of all icons, on a grid of 16 by 16. An icon never stands for a word alone: a label is beside it. */
const OUTLINES = {
  home: 'M2.5 7.5 8 2.8l5.5 4.7M4 6.5v6.7h8V6.5',
  environments: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  flows: 'M4 3v10M4 8h5.5M12 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M4 3h3M4 13h3',
  frequency: 'M3 13V9.5M6.3 13V5M9.7 13V7.5M13 13V3',
  attestations: 'M8 2.2 13 4v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4zM5.8 8l1.6 1.6 3-3.2',
  artifacts: 'M8 2 13.5 5v6L8 14 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6',
  components: 'M2.5 2.5h5v5h-5zM8.5 8.5h5v5h-5zM8.5 5h2.5v3.5M5 7.5V11h3.5',
  repos: 'M4 2.5h8.5v11H4.8A1.3 1.3 0 0 1 3.5 12V3.5A1 1 0 0 1 4 2.5M3.5 11.5h9M6 5h4',
  policies: 'M4 2h5.5L12.5 5v9H4zM9.5 2v3h3M6 8h4M6 10.5h4',
  controls: 'M3 4.5h4M11 4.5h2M3 11.5h2M9 11.5h4M9 3v3M7 10v3',
  expectations: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12M8 4.5V8l2.5 1.5',
  evaluations: 'M8 2.5v11M3 5h10M3 5 1.5 9h3zM13 5l-1.5 4h3zM5.5 13.5h5',
  actions: 'M4 6.5a4 4 0 0 1 8 0c0 3 1.5 4 1.5 4h-11S4 9.5 4 6.5M6.7 12.8a1.4 1.4 0 0 0 2.6 0',
  audit: 'M3 3h10M3 6.3h10M3 9.6h6M3 13h4M11 10v2l1.3 1',
  people:
    'M6 7.5A2.2 2.2 0 1 0 6 3a2.2 2.2 0 0 0 0 4.5M2 13c0-2.3 1.8-3.6 4-3.6s4 1.3 4 3.6M10.5 3.4a2 2 0 0 1 0 3.9M11.5 9.7c1.5.3 2.5 1.5 2.5 3.3',
  signers: 'M5.5 13.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M7.7 8.3l5.8-5.8M11 5l2 2',
  types: 'M2.5 4.5 8 2l5.5 2.5L8 7zM2.5 8 8 10.5 13.5 8M2.5 11.3 8 13.8l5.5-2.5',
  deliveries: 'M2 8h8M7 5l3 3-3 3M12.5 3v10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.3 10.3l3.2 3.2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  account: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8M3 13.8c0-2.6 2.2-4 5-4s5 1.4 5 4',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  out: 'M6 3.5H3v9.5h9.5v-3M9 2.8h4.2V7M13 3 7.5 8.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  down: 'M4 6l4 4 4-4',
  next: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  file: 'M4 2h5.5L12.5 5v9H4zM9.5 2v3h3',
  commit: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M1.5 8h4M10.5 8h4',
  star: 'M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  saved: 'M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6zM8 5v4M6 7.3h4',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
} as const;

export type IconName = keyof typeof OUTLINES;

/** An icon beside a label. Screen readers skip it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg
    aria-hidden="true"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    focusable="false"
  >
    <path d={OUTLINES[name]} />
  </svg>
);
