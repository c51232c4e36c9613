// Package plans makes random queries of package frame over random tables, and the same queries in SQL, and compares the answers.
//
// Tables have nulls, NaN, infinities, duplicates, no rows, or text that is not ASCII. Plans have filters, computed columns, groups,
// joins, orders, windows, and tables one below the other.
package plans
