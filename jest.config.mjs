/** One Jest for the whole repository: specs beside the code, whole-system suites below test/. */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { swcrc: true, jsc: { rewriteRelativeImportExtensions: false } }] },
  testEnvironmentOptions: { customExportConditions: ['@agentstration/source', 'node', 'node-addons'] },
  maxWorkers: 2,
  testTimeout: 30_000,
};
