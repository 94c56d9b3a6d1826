//! What the files of a crate use of each other, read from `use` and from paths in the code. What only
//! tests use doesn't count.

use crate::rooms::files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The names of modules from the root of a crate, or of an item in one.
pub type Names = Vec<String>;

/// By file of a crate, as a module: all paths within the crate that it names, from the root.
pub fn of_crate(source: &Path) -> BTreeMap<Names, BTreeSet<Names>> {
    let mut found = Vec::new();
    files(source, &mut found);
    let (mut texts, mut of_tests) = (BTreeMap::new(), Vec::new());
    for file in found {
        let inside = file.strip_prefix(source).expect("a file of the crate").with_extension("");
        let mut module: Names = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
            module.pop();
        }
        let text = fs::read_to_string(&file).expect("a source file");
        for rest in text.split("#[cfg(test)]\nmod ").skip(1) {
            let name = rest.split([';', ' ']).next().expect("a name");
            of_tests.push(module.iter().cloned().chain([name.to_owned()]).collect::<Names>());
        }
        texts.insert(module, code(&text));
    }
    texts.retain(|module, _| !of_tests.iter().any(|tests| module.starts_with(tests)));
    let resolved = |(module, text): (&Names, &String)| {
        let mut all = BTreeSet::new();
        for path in paths(text) {
            all.extend(from_root(module, &path, |child| texts.contains_key(child)));
        }
        (module.clone(), all)
    };
    texts.iter().map(resolved).collect()
}

/// A text without comments and without the module of tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().expect("a beginning");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.fold(String::new(), |code, line| code + line + "\n")
}

/// The paths that a text names: each one of a `use`, and what stands behind `crate::` and `super::`.
fn paths(text: &str) -> Vec<Names> {
    let (mut all, mut rest) = (Vec::new(), String::new());
    let mut statement: Option<String> = None;
    for line in text.lines() {
        let begins = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
        let used = begins.iter().find_map(|begin| line.trim_start().strip_prefix(begin));
        let part = match (&statement, used) {
            (Some(_), _) => line,
            (None, Some(used)) => used,
            (None, None) => {
                rest.push_str(line);
                rest.push('\n');
                continue;
            }
        };
        let statement_so_far = statement.take().unwrap_or_default() + " " + part;
        match statement_so_far.split_once(';') {
            Some((tree, _)) => expand(tree, &[], &mut all),
            None => statement = Some(statement_so_far),
        }
    }
    for (at, _) in rest.match_indices("crate::").chain(rest.match_indices("super::")) {
        let before = rest[..at].chars().next_back();
        if before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':' && c != '$') {
            let is_path = |c: &char| c.is_alphanumeric() || *c == '_' || *c == ':';
            let path: String = rest[at..].chars().take_while(is_path).collect();
            all.push(path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect());
        }
    }
    all
}

/// The paths of a tree `a::{b, c::{d, e as f}}`.
fn expand(tree: &str, before: &[String], into: &mut Vec<Names>) {
    let tree = tree.trim();
    let (path, inner) = tree.split_once('{').map_or((tree, None), |(path, inner)| (path, Some(inner)));
    let path = path.split(" as ").next().expect("a beginning");
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let names: Names = before.iter().cloned().chain(names).collect();
    let Some(inner) = inner else { return into.push(names) };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[from..at].trim().is_empty() {
                    expand(&inner[from..at], &names, into);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// A path from the root of the crate; none if it leads into another crate.
fn from_root(module: &Names, path: &[String], exists: impl Fn(&Names) -> bool) -> Option<Names> {
    let mut base = module.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let child: Names = module.iter().cloned().chain([first.to_owned()]).collect();
            exists(&child).then_some(())?;
        }
    }
    base.extend_from_slice(rest);
    Some(base)
}

/// The file that an item is in, as a module: the longest beginning of its path that is one.
fn file<'p>(uses: &BTreeMap<Names, BTreeSet<Names>>, path: &'p Names) -> Option<&'p [String]> {
    (0..=path.len()).rev().map(|len| &path[..len]).find(|module| uses.contains_key(*module))
}

/// The groups of files of a crate that use each other in a circle. A file may use what the modules
/// around it have, and these their parts.
pub fn circles(source: &Path) -> Vec<Vec<String>> {
    let uses = of_crate(source);
    let edges: BTreeMap<&[String], BTreeSet<&[String]>> = uses
        .iter()
        .map(|(module, paths)| {
            let other = |to: &&[String]| !to.starts_with(module) && !module.starts_with(to);
            (&module[..], paths.iter().filter_map(|path| file(&uses, path)).filter(other).collect())
        })
        .collect();
    let reached = |from: &[String]| {
        let (mut all, mut open) = (BTreeSet::new(), edges[from].iter().copied().collect::<Vec<_>>());
        while let Some(next) = open.pop() {
            if all.insert(next) {
                open.extend(&edges[next]);
            }
        }
        all
    };
    let reach: BTreeMap<&[String], _> = edges.keys().map(|&module| (module, reached(module))).collect();
    let circle = |&module: &&[String]| {
        let both = reach[module].iter().filter(|other| reach[**other].contains(module));
        both.map(|other| other.join("::")).collect::<Vec<_>>()
    };
    let all: BTreeSet<Vec<String>> = edges.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}
