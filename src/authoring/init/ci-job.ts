/** What of a project its job names. */
export interface CiSubject {
  environment: string;
  /** An ability that runs without anything else, with its flags; absent: there is none yet. */
  run: string | undefined;
}

/**
 * `.github/workflows/ability.yml`: lint, test cases, a run and what harvest finds, with what they download kept between jobs.
 *
 * The servers are in the user's cache by version, so the cache is keyed by the lock file, which fixes our version.
 */
export function ciJob({ environment, run }: CiSubject): string {
  const steps =
    run === undefined
      ? `      # Once there are abilities with cases:
      # - run: npx --no ability test --junit reports/cases.xml
      # - run: npx --no ability run ID --env ${environment} --junit reports/run.xml --json
`
      : `      - name: Test cases
        run: npx --no ability test --junit reports/cases.xml
      - name: Run
        run: npx --no ability run ${run} --env ${environment} --junit reports/run.xml --json
`;
  return `# Checks the abilities of this project. Exit codes: 0 fine, 1 failed, 2 a broken definition; others: ability run --help.
name: ability
on:
  push:
  pull_request:

permissions:
  contents: read

jobs:
  ability:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    env:
      ABILITY_CACHE: \${{ github.workspace }}/.system/cache   # the Temporal servers, fetched once
    steps:
      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }   # lint --since compares with the branch that is merged into
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      - uses: actions/cache@v4
        with:
          path: .system/cache
          key: ability-\${{ runner.os }}-\${{ runner.arch }}-\${{ hashFiles('package-lock.json') }}
          restore-keys: ability-\${{ runner.os }}-\${{ runner.arch }}-
      - run: npm ci
      - run: mkdir -p reports
      - name: Lint
        run: npx --no ability lint
      - name: Contracts that broke without a new version
        if: github.event_name == 'pull_request'
        env: { BASE: "origin/\${{ github.base_ref }}" }
        run: npx --no ability lint --since "$BASE"
${steps}      - name: What was asked for and is not there, and scripts worth an ability
        if: always()
        continue-on-error: true
        run: npx --no ability harvest --json > reports/harvest.json
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: ability-reports
          path: |
            reports/*.xml
            reports/harvest.json
          if-no-files-found: ignore
`;
}
