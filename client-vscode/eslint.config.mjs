import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'out/**', 'bundled/**', 'node_modules/**'] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['src/**/*.ts', 'test/**/*.ts'] })),
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './test/tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-syntax': [
        'error',
        { selector: "AssignmentExpression > MemberExpression[property.name=/^(isTrusted|supportHtml)$/]", message: 'Text from outside is never trusted Markdown (X49).' },
        { selector: "Property[key.name=/^(isTrusted|supportHtml)$/]", message: 'Text from outside is never trusted Markdown (X49).' },
        { selector: "MemberExpression[property.name=/^(createWebviewPanel|registerWebviewViewProvider|registerUriHandler)$/]", message: 'No webview, no URI handler (X2, X53).' },
      ],
    },
  },
);
